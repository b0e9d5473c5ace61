/** Whether a place in a stream of Redis (`ms-seq`) comes after another. */
export function isAfter(place: string, other: string): boolean {
  const [ms = 0, seq = 0] = place.split('-').map(Number);
  const [otherMs = 0, otherSeq = 0] = other.split('-').map(Number);
  return ms > otherMs || (ms === otherMs && seq > otherSeq);
}
