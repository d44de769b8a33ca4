// Which indexes of things something holds for, in typed arrays: adding one makes nothing that is
// collected as garbage, however often a second. In the order in which they came, as long as none is
// taken out. Pure.
export class IndexSet {
  count = 0
  private list = new Uint32Array(64)
  private places = new Uint32Array(64) // by index: its place in the list, counted from 1; 0: it is not in it

  has(index: number): boolean {
    return index < this.places.length && this.places[index]! > 0
  }

  at(place: number): number {
    return this.list[place]!
  }

  add(index: number) {
    if (index >= this.places.length) this.places = larger(this.places, index)
    if (this.places[index]!) return
    if (this.count === this.list.length) this.list = larger(this.list, this.count)
    this.list[this.count++] = index
    this.places[index] = this.count
  }

  // The last one comes to its place: who goes through the list and deletes goes from its end.
  delete(index: number) {
    if (!this.has(index)) return
    const place = this.places[index]!
    const last = this.list[--this.count]!
    this.list[place - 1] = last
    this.places[last] = place
    this.places[index] = 0
  }

  clear() {
    for (let i = 0; i < this.count; i++) this.places[this.list[i]!] = 0
    this.count = 0
  }

  // A copy of what is in it.
  slice(): Uint32Array<ArrayBuffer> {
    return this.list.slice(0, this.count)
  }
}

function larger(old: Uint32Array<ArrayBuffer>, index: number): Uint32Array<ArrayBuffer> {
  const made = new Uint32Array(Math.max(index + 1, old.length * 2))
  made.set(old)
  return made
}
