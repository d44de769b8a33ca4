// The screens that main.tsx loads when they are first wanted.
export { default as AlignmentScreen } from './alignment/screen'
export { default as MapScreen } from './map/screen'
export { default as SceneScreen } from './scene/screen'
