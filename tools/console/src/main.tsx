// The console: a client of the public interface like any other. This file chooses the screen.
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { go, href, place } from './app/router'
import { askSession, mustSignIn, session } from './app/session'
import { Shell } from './app/shell'
import { Scenes } from './screens/scenes'
import { SignIn } from './screens/sign_in'
import { Empty } from './ui/states'
import { Toasts } from './ui/toast'

function Screen() {
  switch (place.value.screen) {
    case '':
    case 'scenes':
      return <Scenes />
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
