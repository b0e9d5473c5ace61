import { expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import { readStopToken, sampleStopLink, stopLink, stopSecrets, uploadName } from '../../src/lib/stop-link.ts';
import { countSegments } from '../../src/lib/segments.ts';

const URL_ = 'https://r.sn';
const secrets = stopSecrets([new Secret('new'), new Secret('old')]);
const place = { upload: 'aZ09', slice: 14_000, index: 999 };
const tokenOf = (link: string): string => link.slice(`${URL_}/s/`.length);

test('a link leads back to its place, is eighteen characters long and of GSM-7', () => {
  const link = stopLink(URL_, secrets, place);
  expect(readStopToken(secrets, tokenOf(link))).toEqual(place);
  expect(tokenOf(link)).toMatch(/^[0-9A-Za-z]{18}$/);
  expect(countSegments(link)).toMatchObject({ encoding: 'GSM-7', units: link.length });
  expect(sampleStopLink(URL_)).toHaveLength(link.length);
});

test('a link of an earlier secret is still valid, and one of a dropped secret is not', () => {
  const old = tokenOf(stopLink(URL_, secrets.slice(1), place));
  expect(readStopToken(secrets, old)).toEqual(place);
  expect(readStopToken(secrets.slice(0, 1), old)).toBeUndefined();
});

test('a changed character, a shorter and a longer link are invalid', () => {
  const token = tokenOf(stopLink(URL_, secrets, place));
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === '0' ? '1' : '0';
    expect(readStopToken(secrets, token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
  }
  for (const wrong of ['', token.slice(1), `${token}0`, `${token}/`, `%${token.slice(1)}`, '../../../../etc/pas'])
    expect(readStopToken(secrets, wrong)).toBeUndefined();
  expect(tokenOf(sampleStopLink(URL_))).toHaveLength(18);
  expect(readStopToken(secrets, tokenOf(sampleStopLink(URL_)))).toBeUndefined();
});

test('names of uploads are four characters, and places beyond fourteen million have no link', () => {
  const random = seededRandom(1);
  for (let turn = 0; turn < 1_000; turn += 1) expect(uploadName(random.hex(8))).toMatch(/^[0-9A-Za-z]{4}$/);
  expect(() => stopLink(URL_, secrets, { ...place, slice: 14_430 })).toThrow('too many recipients');
});

test('a first block as large as the largest canary has a link for each recipient, and none for others', () => {
  const places = [
    ...Array.from({ length: 10_000 }, (_, index) => ({ upload: 'aZ09', slice: 0, index })),
    ...Array.from({ length: 1_000 }, (_, index) => ({ upload: 'aZ09', slice: 1, index })),
    { upload: 'aZ09', slice: 14_000, index: 999 },
  ];
  const tokens = places.map((one) => tokenOf(stopLink(URL_, secrets.slice(0, 1), one)));
  expect(new Set(tokens).size).toBe(places.length);
  expect(tokens.map((token) => readStopToken(secrets.slice(0, 1), token))).toEqual(places);
  expect(() => stopLink(URL_, secrets, { ...place, index: 1_024 })).toThrow('too many recipients');
});
