// Streams of the server that this page is from, followed however often they break off. Runs in the worker.
import { Follower, type Follows } from 'diorama-client'
import { server } from '../api/http'

const AWAY_MS = 2000 // nobody listens: asking costs nothing

export function follow(what: Follows): Follower {
  const follower = new Follower(server(), { awayMs: AWAY_MS, ...what })
  follower.begin()
  return follower
}
