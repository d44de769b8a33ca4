// Reads server-sent events from pieces of text, cut anywhere. Pure.

export interface Sse {
  event: string // '' is a comment
  id: string
  data: string // of a comment: its words
}

export class SseReader {
  private rest = ''
  private event = ''
  private id = ''
  private data: string[] = []

  constructor(private readonly take: (event: Sse) => void) {}

  feed(text: string) {
    const lines = (this.rest + text).split('\n')
    this.rest = lines.pop()!
    for (const line of lines) this.line(line.endsWith('\r') ? line.slice(0, -1) : line)
  }

  private line(line: string) {
    if (line === '') this.dispatch()
    else if (line.startsWith(':')) this.take({ event: '', id: '', data: line.slice(1).trim() })
    else {
      const colon = line.indexOf(':')
      const name = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (name === 'event') this.event = value
      else if (name === 'id') this.id = value
      else if (name === 'data') this.data.push(value)
    }
  }

  private dispatch() {
    if (this.data.length) this.take({ event: this.event || 'message', id: this.id, data: this.data.join('\n') })
    this.event = this.id = ''
    this.data = []
  }
}
