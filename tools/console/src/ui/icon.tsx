// Icons: strokes on a grid of 20 by 20.
const strokes = {
  scenes: 'M10 2.5 16.5 6v8L10 17.5 3.5 14V6zM3.7 6.2 10 9.6l6.3-3.4M10 9.6v7.7',
  assets: 'M4 4.5h5l1.5 2H16v9H4zM4 9h12',
  devices: 'M3.5 7.5h13v6h-3.7L11 11.8H9l-1.8 1.7H3.5z',
  overview: 'M3.5 16.5v-5M8 16.5v-9M12.5 16.5v-6.5M16.8 16.5v-13',
  server: 'M3.5 4.2h13v5h-13zM3.5 10.8h13v5h-13zM6.2 6.7h.6M6.2 13.3h.6M9.5 6.7h4.5M9.5 13.3h4.5',
  docs: 'M5 3h7l3.5 3.5V17H5zM12 3v3.5h3.5M7.5 10.5h5M7.5 13.5h5',
  select: 'M5 3.5 15 10l-4.6 1.1L8 15.6z',
  move: 'M10 2.5v15M2.5 10h15M10 2.5 8 4.7M10 2.5l2 2.2M10 17.5l-2-2.2M10 17.5l2-2.2M2.5 10l2.2-2M2.5 10l2.2 2M17.5 10l-2.2-2M17.5 10l-2.2 2',
  rotate: 'M15.8 8A6.2 6.2 0 1 0 16 11.5M16.5 4v4.3h-4.3',
  scale: 'M3.5 12v4.5H8M16.5 8V3.5H12M3.5 16.5l5-5M16.5 3.5l-5 5M7 7h6v6H7z',
  frame: 'M3.5 7V3.5H7M13 3.5h3.5V7M16.5 13v3.5H13M7 16.5H3.5V13M8 8h4v4H8z',
  alignment: 'M5 6.7v6.6M6.3 6.3l7.4 3.2M6.3 13.8l7.4-3.4M5 3.5a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2zM5 13.3a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2zM15.2 8.3a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2z',
  ruler: 'M3 13.5 13.5 3 17 6.5 6.5 17zM6.2 10.3l1.6 1.6M8.8 7.7l2.2 2.2M11.4 5.1l1.6 1.6',
  play: 'M6 3.5v13l10.5-6.5z',
  pause: 'M6.5 4v12M13.5 4v12',
  plus: 'M10 4v12M4 10h12',
  minus: 'M4 10h12',
  pin: 'M7.5 3h5l-.6 5 2.6 3h-9l2.6-3zM10 11v6',
  map: 'M3.5 5.5 8 3.5l4 2 4.5-2v11l-4.5 2-4-2-4.5 2zM8 3.5v11M12 5.5v11',
  circle: 'M10 3.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM10 10h6.3M10 9.6v.8',
  world: 'M10 2.5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15zM2.6 10h14.8M10 2.5c2.4 2 3.4 4.6 3.4 7.5S12.4 15.5 10 17.5c-2.4-2-3.4-4.6-3.4-7.5S7.6 4.5 10 2.5z',
  place: 'M10 2.5a5 5 0 0 1 5 5c0 3.8-5 10-5 10s-5-6.2-5-10a5 5 0 0 1 5-5zM10 5.8a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4z',
  close: 'M5 5l10 10M15 5 5 15',
  search: 'M9 3.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM13 13l4 4',
  lock: 'M5.5 9h9v7.5h-9zM7 9V6.5a3 3 0 0 1 6 0V9',
  mesh: 'M10 3l6 3.4v7L10 17l-6-3.6v-7zM10 10v7M10 10 4 6.5M10 10l6-3.5',
  light: 'M10 2.8a4.7 4.7 0 0 1 2.6 8.6c-.5.4-.6.9-.6 1.6H8c0-.7-.1-1.2-.6-1.6A4.7 4.7 0 0 1 10 2.8zM8.2 15.2h3.6M8.7 17.2h2.6',
  camera: 'M3 6h9v8H3zM12 9.5 17 7v6l-5-2.5z',
  axes: 'M6 14V4M6 14h10M6 14l-3 3M6 4 4.6 6M6 4l1.4 2M16 14l-2-1.4M16 14l-2 1.4',
  sun: 'M10 6.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM10 1.8v2M10 16.2v2M1.8 10h2M16.2 10h2M4.2 4.2l1.4 1.4M14.4 14.4l1.4 1.4M4.2 15.8l1.4-1.4M14.4 5.6l1.4-1.4',
  out: 'M8 3.5H4v13h4M8 10h9M13.5 6.5 17 10l-3.5 3.5',
  undo: 'M7.5 4 4 7.5 7.5 11M4 7.5h7.5a4.5 4.5 0 0 1 0 9H8',
  upload: 'M10 13V3.5M6.5 7 10 3.5 13.5 7M3.5 13v3.5h13V13',
  down: 'M5 7.5l5 5 5-5',
  right: 'M7.5 5l5 5-5 5',
  list: 'M3.5 5.5h13M3.5 10h13M3.5 14.5h13',
  info: 'M10 2.5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15zM10 9v5M10 6v.6',
  trash: 'M4 5.5h12M8 5.5V3.5h4v2M5.5 5.5l.8 11h7.4l.8-11',
}

export type IconName = keyof typeof strokes

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width={size} height={size} aria-hidden="true">
      <path d={strokes[name]} />
    </svg>
  )
}

export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg class="mark" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path class="mark-top" d="M12 2.5 21 7.6 12 12.7 3 7.6z" />
      <path class="mark-left" d="M3 9.4l8.2 4.7v7.4L3 16.8z" />
      <path class="mark-right" d="M21 9.4l-8.2 4.7v7.4L21 16.8z" />
    </svg>
  )
}
