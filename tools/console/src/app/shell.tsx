// Header, rail and content. The rail has only what there is.
import type { ComponentChildren } from 'preact'
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Icon, Mark } from '../ui/icon'
import { fullDisk, fullWords } from './disk'
import { entries } from './entries'
import { Finder, isFinding } from './finder'
import { Help, useKeys } from './keys'
import { href, place } from './router'
import { serverAway, session, signOut } from './session'
import { theme, themes } from './theme'

// What the header shows beside the place: the state of a stream.
export const badge = signal<ComponentChildren>(null)

function Rail() {
  const { screen } = place.value
  const here = screen === 'scene' ? 'scenes' : screen
  return (
    <nav class="rail" aria-label="Screens">
      <ul>
        {entries.map(entry => (
          <li key={entry.screen}>
            <a href={href(entry.screen)} title={entry.title} aria-current={entry.screen === here ? 'page' : undefined}>
              <Icon name={entry.icon} />
              <span>{entry.title}</span>
            </a>
          </li>
        ))}
      </ul>
      <a class="rail-foot" href="/docs" target="_blank" rel="noreferrer">
        <Icon name="docs" />
        <span>Interface</span>
      </a>
    </nav>
  )
}

function Account() {
  const menu = useRef<HTMLDetailsElement>(null)
  const user = session.value?.user
  useEffect(() => {
    const close = (event: Event) => {
      if (!menu.current?.contains(event.target as Node)) menu.current?.removeAttribute('open')
    }
    document.addEventListener('pointerdown', close)
    return () => document.removeEventListener('pointerdown', close)
  }, [])
  return (
    <details class="menu" ref={menu}>
      <summary aria-label="Account and appearance">
        <Icon name={user ? 'down' : 'sun'} size={16} />
        <span>{user?.username ?? 'Appearance'}</span>
      </summary>
      <div class="menu-box">
        <fieldset class="choices">
          <legend>Appearance</legend>
          {themes.map(name => (
            <label key={name}>
              <input type="radio" name="theme" checked={theme.value === name} onChange={() => (theme.value = name)} />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
        {user && (
          <button class="menu-row" onClick={() => void signOut()}>
            <Icon name="out" size={16} /> Sign out
          </button>
        )}
        <p class="menu-foot">Diorama {session.value?.version}</p>
      </div>
    </details>
  )
}

function Crumbs() {
  const { screen, key } = place.value
  const parent = screen === 'scene' ? 'scenes' : screen
  const title = entries.find(entry => entry.screen === parent)?.title
  return (
    <div class="crumbs">
      {title && key && (
        <>
          <a href={href(parent)}>{title}</a>
          <span aria-hidden="true">/</span>
        </>
      )}
      <h1>{key || title || 'Diorama'}</h1>
    </div>
  )
}

export function Shell({ children }: { children: ComponentChildren }) {
  const { screen, key } = place.value
  const main = useRef<HTMLElement>(null)
  useKeys()
  useEffect(() => {
    const title = entries.find(entry => entry.screen === screen)?.title
    document.title = [key || title, 'Diorama'].filter(Boolean).join(' · ')
  }, [screen, key])
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={event => (event.preventDefault(), main.current?.focus())}>
        To the content
      </a>
      <header class="bar">
        <a class="home" href={href('')} aria-label="Diorama, first screen">
          <Mark />
        </a>
        <Crumbs />
        <div class="bar-badge">{badge.value}</div>
        <button class="find" title="Go to anything (Ctrl K)" onClick={() => (isFinding.value = true)}>
          <Icon name="search" size={16} />
          <span>Search</span>
          <kbd>Ctrl K</kbd>
        </button>
        <Account />
      </header>
      <Rail />
      <main id="content" tabIndex={-1} ref={main}>
        {serverAway.value && (
          <p class="banner" role="alert">
            The server does not answer. It is asked again every second.
          </p>
        )}
        {fullDisk.value && (
          <p class="banner" role="alert">
            {fullWords(fullDisk.value)}
          </p>
        )}
        {children}
      </main>
      <Finder />
      <Help />
    </div>
  )
}
