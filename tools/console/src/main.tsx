// The console: a client of the public interface like any other. This file chooses the screen.
import { type ComponentChildren, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { watchDisk } from './app/disk'
import { go, href, place } from './app/router'
import { askSession, mustSignIn, session } from './app/session'
import { Shell } from './app/shell'
import { Assets } from './screens/assets'
import { Devices } from './screens/devices'
import { Overview } from './screens/overview'
import { Scenes } from './screens/scenes'
import { ServerScreen } from './screens/server'
import { SignIn } from './screens/sign_in'
import { Empty, Loading } from './ui/states'
import { Toasts } from './ui/toast'

// The screens that bring the most code come together when one of them is first wanted: what each of
// two parts shares with this one would be one more request at the start.
type Later = typeof import('./later')

function Late({ what, children }: { what: string; children: (later: Later) => ComponentChildren }) {
  const [later, setLater] = useState<Later | null>(null)
  useEffect(() => {
    void import('./later').then(setLater)
  }, [])
  return later ? <>{children(later)}</> : <Loading what={what} rows={8} />
}

function Screen() {
  switch (place.value.screen) {
    case '':
      return <Overview />
    case 'scenes':
      return <Scenes />
    case 'assets':
      return <Assets />
    case 'alignment':
      return <Late what="the alignment">{({ AlignmentScreen }) => <AlignmentScreen />}</Late>
    case 'map':
      return <Late what="the map">{({ MapScreen }) => <MapScreen />}</Late>
    case 'devices':
      return <Devices />
    case 'server':
      return <ServerScreen />
    case 'scene':
      return <Late what={place.value.key}>{({ SceneScreen }) => <SceneScreen key={place.value.key} scene={place.value.key} />}</Late>
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
watchDisk()
render(<App />, document.getElementById('app')!)
