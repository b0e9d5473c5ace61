/** Reading every page of a list, as a program does that sums a day. */
import { mustAsk } from '../storm/http.ts';

const PAGE = 500;

export async function listed<Item>(api: string, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let after = ''; ; ) {
    const query = `${path.includes('?') ? '&' : '?'}limit=${PAGE}${after && `&after=${encodeURIComponent(after)}`}`;
    const page = await mustAsk<{ items: Item[]; next: string | null }>(`${api}/v1/${path}${query}`);
    items.push(...page.items);
    if (page.next === null) return items;
    after = page.next;
  }
}
