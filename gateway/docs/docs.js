// docs.js - what a script adds to the page of the interface: finding a route by a word, curl lines with
// this server's own address, and a form that sends an example to this server. The page is whole
// without it. Elements are made one by one, as the page's policy allows nothing else.
'use strict'

const SHOWN_BYTES = 20000
const STREAM_MS = 3000 // that a stream, which has no end, is listened to

function make(kind, properties, ...children) {
  const element = Object.assign(document.createElement(kind), properties)
  element.append(...children)
  return element
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

// --- finding ---

function wordsOf(link) {
  const article = document.querySelector(link.getAttribute('href'))
  const lead = [...article.children].filter(child => /^(H3|P)$/.test(child.tagName))
  return [article.id, ...lead.map(child => child.textContent)].join(' ').toLowerCase()
}

// A route is found by the beginnings of words in its name, path or sentence; all of them must be there.
function addSearch(navigation) {
  const links = [...navigation.querySelectorAll('h2 + ul a')].map(link => ({ link, words: wordsOf(link) }))
  const input = make('input', { type: 'search', placeholder: 'Find a route  /', ariaLabel: 'Find a route' })
  const found = make('p', { className: 'note', role: 'status' })
  input.addEventListener('input', () => {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    let count = 0
    for (const { link, words } of links) {
      const isFound = wanted.every(word => words.includes(word))
      link.parentElement.hidden = !isFound
      count += isFound
    }
    for (const list of navigation.querySelectorAll('h2 + ul')) {
      const isEmpty = ![...list.children].some(item => !item.hidden)
      list.hidden = list.previousElementSibling.hidden = isEmpty
    }
    found.textContent = wanted.length ? `${count} of ${links.length} routes` : ''
  })
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return
    event.preventDefault()
    input.focus()
  })
  navigation.prepend(input, found)
}

// --- trying ---

const token = make('input', { type: 'password', autocomplete: 'off', size: 32, placeholder: 'only if this server asks for one' })

// The beginning of a body: a stream has no end, and a long answer is no example.
async function readSome(response) {
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const isStream = response.headers.get('Content-Type') === 'text/event-stream'
  const timer = isStream ? setTimeout(() => reader.cancel(), STREAM_MS) : 0
  let text = ''
  for (let part; text.length < SHOWN_BYTES && !(part = await reader.read()).done; )
    text += decoder.decode(part.value, { stream: true })
  clearTimeout(timer)
  await reader.cancel()
  return text.length < SHOWN_BYTES ? pretty(text) : text.slice(0, SHOWN_BYTES) + '\n…'
}

async function send(method, target, body) {
  const headers = {}
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (token.value) headers.Authorization = `Bearer ${token.value}`
  const response = await fetch(target, { method, headers, body, redirect: 'manual' })
  const type = response.headers.get('Content-Type') ?? ''
  const isText = /json|^text\//.test(type)
  const shown = !response.body ? '' : isText ? await readSome(response) : `${(await response.blob()).size} bytes of ${type}`
  return `${response.status} ${type}\n${shown}`
}

function addForm(example) {
  const { method, target, body } = example.dataset
  const place = make('input', { value: target, spellcheck: false, ariaLabel: 'Path' })
  const text = body === undefined ? null : make('textarea', { value: pretty(body), spellcheck: false, ariaLabel: 'Body' })
  if (text) text.rows = Math.min(12, text.value.split('\n').length)
  const answer = make('pre', { className: 'answer', role: 'status', hidden: true })
  const form = make('form', {}, make('span', { className: `method ${method}`, textContent: method }), place,
    make('button', { textContent: 'Send to this server' }), ...(text ? [text] : []), answer)
  form.addEventListener('submit', async event => {
    event.preventDefault()
    answer.hidden = false
    answer.textContent = '…'
    try {
      if (!place.value.startsWith('/') || place.value.startsWith('//')) throw new Error('a path begins with one /')
      answer.textContent = await send(method, place.value, text?.value)
    } catch (error) {
      answer.textContent = `Nothing was answered: ${error.message}`
    }
  })
  example.append(form)
}

function prepare(example) {
  for (const part of example.querySelectorAll('pre'))
    part.textContent = part.className === 'curl' ? part.textContent.replace('$URL', location.origin) : pretty(part.textContent)
  if (example.dataset.target) addForm(example)
}

for (const example of document.querySelectorAll('details.example'))
  example.addEventListener('toggle', () => prepare(example), { once: true })
addSearch(document.querySelector('nav'))
const account = make('form', {}, make('label', {}, 'Token for examples that you send ', token))
account.addEventListener('submit', event => event.preventDefault())
document.querySelector('main > p').after(account)
