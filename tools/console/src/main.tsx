// The console: a client of the public interface like any other. This file chooses the screen.
import { type ComponentType, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { go, href, place } from './app/router'
import { askSession, mustSignIn, session } from './app/session'
import { Shell } from './app/shell'
import { Assets } from './screens/assets'
import { Devices } from './screens/devices'
import { Scenes } from './screens/scenes'
import { ServerScreen } from './screens/server'
import { SignIn } from './screens/sign_in'
import { Empty, Loading } from './ui/states'
import { Toasts } from './ui/toast'

// The screen of a scene brings the most code, so it comes when it is first wanted.
function Scene({ scene }: { scene: string }) {
  const [Part, setPart] = useState<ComponentType<{ scene: string }> | null>(null)
  useEffect(() => {
    void import('./scene/screen').then(part => setPart(() => part.default))
  }, [])
  return Part ? <Part key={scene} scene={scene} /> : <Loading what={scene} rows={8} />
}

function Screen() {
  switch (place.value.screen) {
    case '':
    case 'scenes':
      return <Scenes />
    case 'assets':
      return <Assets />
    case 'devices':
      return <Devices />
    case 'server':
      return <ServerScreen />
    case 'scene':
      return <Scene scene={place.value.key} />
    default:
      return (
        <Empty icon="info" title="There is no such page">
          <a class="button" href={href('scenes')}>
            To the scenes
          </a>
        </Empty>
      )
  }
}

function App() {
  const { screen } = place.value
  const stranger = mustSignIn()
  useEffect(() => {
    if (stranger && screen !== 'login')
      go(`${href('login')}?to=${encodeURIComponent(location.pathname + location.search)}`, true)
  }, [stranger, screen])
  if (screen === 'login') return <SignIn />
  return (
    <>
      <Shell>{session.value && !stranger && <Screen />}</Shell>
      <Toasts />
    </>
  )
}

void askSession()
render(<App />, document.getElementById('app')!)
