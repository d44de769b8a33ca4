// Who is signed in. Scripts never see the token: the browser keeps it in a cookie.
import { signal } from '@preact/signals'
import { ask, askJson, isAway, whenSignedOut } from '../api/http'
import type { Session } from '../api/types'
import { go, href } from './router'

// undefined: not asked yet.
export const session = signal<Session | undefined>(undefined)
export const serverAway = signal(false)

export async function askSession() {
  try {
    session.value = await askJson<Session>('GET', '/v1/session')
    serverAway.value = false
  } catch (failure) {
    serverAway.value = isAway(failure)
    if (serverAway.value) setTimeout(askSession, 1000)
  }
}

export const mustSignIn = () => session.value !== undefined && session.value.auth && !session.value.user

export async function signIn(username: string, password: string) {
  await ask('POST', '/v1/login', { body: { username, password } })
  await askSession()
}

export async function signOut() {
  await ask('POST', '/v1/logout')
  await askSession()
  go(href('login'))
}

whenSignedOut(() => {
  if (session.value?.user) session.value = { ...session.value, user: undefined, admin: false }
})
