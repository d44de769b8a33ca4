// Sign in: the server answers with a cookie that scripts cannot read.
import { ApiError } from 'diorama-client'
import { useState } from 'preact/hooks'
import { refusalOf, statusOf } from '../api/http'
import { go, href, place } from '../app/router'
import { signIn } from '../app/session'
import { Field } from '../ui/field'
import { Mark } from '../ui/icon'

function reasonOf(failure: Error) {
  if (failure instanceof ApiError && failure.status === 429) return `Too many attempts. Try again in ${failure.retryAfter} s.`
  if (statusOf(failure) === 401) return 'Name or password is wrong.'
  return refusalOf(failure)
}

export function SignIn() {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Error | null>(null)

  async function submit(event: Event) {
    event.preventDefault()
    setBusy(true)
    setFailure(null)
    try {
      await signIn(name, password)
      const back = place.value.query.get('to') ?? ''
      go(back.startsWith('/console/') ? back : href(''), true)
    } catch (problem) {
      setFailure(problem as Error)
      setBusy(false)
    }
  }

  return (
    <main class="gate">
      <form class="card" onSubmit={event => void submit(event)}>
        <div class="gate-mark">
          <Mark size={40} />
        </div>
        <h1>Sign in to Diorama</h1>
        <Field label="User name" value={name} onInput={setName} autocomplete="username" required first
          pointer="/username" failure={failure} />
        <Field label="Password" type="password" value={password} onInput={setPassword} required
          autocomplete="current-password" pointer="/password" failure={failure} />
        {failure && (
          <p class="refusal" role="alert">
            {reasonOf(failure)}
          </p>
        )}
        <button class="button main wide" disabled={busy}>
          {busy ? 'Signing in …' : 'Sign in'}
        </button>
        <p class="note">
          The first start of a server prints the password of its administrator once, in the terminal or the log.
        </p>
      </form>
    </main>
  )
}
