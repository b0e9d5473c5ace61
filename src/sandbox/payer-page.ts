/**
 * The page on which a payer pays, cancels or fails an invoice, and the receipt: what a front end leads people to. It
 * stands where the service has its own, and moves nothing but the books of the sandbox.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Html, html } from '../lib/html.ts';
import { money } from '../words/figures.ts';
import { type Language, languageAccepted, wordsIn } from '../words/languages.ts';
import type { Invoice } from './books.ts';
import { actionsOf, settleInvoice, statusNow, storeOf } from './checkout.ts';
import { send } from './misbehave.ts';
import type { World } from './world.ts';

const PAGE = /^\/checkout\/invoice\/([\w-]{1,100})$/;
const RECEIPT = /^\/checkout\/receipt\/pdf\/([\w-]{1,100})\.pdf$/;

const DECISIONS = ['completed', 'cancelled', 'failed'] as const;

/** False where the path is no page of ours. */
export function showPayer(request: IncomingMessage, response: ServerResponse, text: string, world: World): boolean {
  const [path = ''] = (request.url ?? '').split('?');
  const [, token] = PAGE.exec(path) ?? [];
  const [, receipt] = RECEIPT.exec(path) ?? [];
  if (token === undefined && receipt === undefined) return false;
  const language = languageAccepted(request.headers['accept-language']) ?? 'en';
  const invoice = world.books.invoices.get(token ?? receipt ?? '');
  if (invoice === undefined) show(response, 404, strangePage(language));
  else if (receipt !== undefined) showReceipt(invoice, response, world);
  else if (request.method === 'POST') decide(invoice, new URLSearchParams(text).get('decision'), response, world);
  else show(response, 200, payerPage(invoice, language, world));
  return true;
}

/** Then the payer is led to where the merchant wants somebody of the status that stands, whatever was pressed. */
function decide(invoice: Invoice, asked: string | null, response: ServerResponse, world: World): void {
  const decision = DECISIONS.find((one) => one === asked);
  const { token } = invoice;
  const here = `${world.base}/checkout/invoice/${token}`;
  if (decision !== undefined && statusNow(invoice, world) !== 'completed')
    void settleInvoice(invoice, decision, world, decision === 'failed' ? 'Refused by the payer of the sandbox' : '');
  send(response, 303, '', { location: decision === undefined ? here : (leadsTo(invoice) ?? here) });
}

/** The token is put on the address after a payment only (interface: actions.return_url). */
function leadsTo(invoice: Invoice): string | undefined {
  const { return_url: back, cancel_url: away } = actionsOf(invoice);
  if (invoice.status === 'cancelled') return away;
  if (invoice.status !== 'completed' || back === undefined) return undefined;
  const url = new URL(back);
  url.searchParams.set('token', invoice.token);
  return url.href;
}

function payerPage(invoice: Invoice, language: Language, world: World): Html {
  const { payer, figures } = wordsIn(language);
  const status = statusNow(invoice, world);
  const { name, description } = storeOf(invoice);
  const open = html`<form method="post">
    <button class="pay" name="decision" value="completed">${payer.pay(money(invoice.totalAmount, figures))}</button>
    <button name="decision" value="cancelled">${payer.cancel}</button>
    <button name="decision" value="failed">${payer.fail}</button>
    </form>`;
  const receipt = html`<p><a href="/checkout/receipt/pdf/${invoice.token}.pdf">${payer.receipt}</a></p>`;
  const body = html`<p class="note">${payer.sandbox}</p>
    <h1>${name}</h1>
    <p>${description}</p>
    <p class="sum">${money(invoice.totalAmount, figures)}</p>
    <p role="status">${payer.states[status]}</p>
    ${status === 'completed' ? receipt : open}`;
  return page(language, payer.title, body);
}

function strangePage(language: Language): Html {
  const { payer } = wordsIn(language);
  return page(language, payer.title, html`<h1>${payer.strange}</h1>`);
}

const STYLE =
  ':root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:30rem;margin:0 auto;padding:1.5rem}' +
  '.note{border:2px dashed;padding:.5rem;font-size:1rem}.sum{font-size:2rem;font-weight:700;margin:0}button{font:inherit;' +
  'display:block;width:100%;padding:.75rem;margin:.75rem 0;border:2px solid;border-radius:.5rem;background:Canvas;' +
  'color:CanvasText;cursor:pointer}.pay{background:#0b6b3a;border-color:transparent;color:#fff;font-weight:600}:focus-visible{outline:3px solid;' +
  'outline-offset:3px}';

/** Without `form-action`: browsers apply it to where a posted form is led on to, and that is the merchant's. */
const POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
  "base-uri 'none'; frame-ancestors 'none'";

function page(language: Language, title: string, body: Html): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

function show(response: ServerResponse, status: number, { text }: Html): void {
  const headers = { 'content-security-policy': POLICY, 'cache-control': 'no-store', vary: 'Accept-Language' };
  send(response, status, text, { ...headers, 'content-type': 'text/html; charset=utf-8' });
}

function showReceipt(invoice: Invoice, response: ServerResponse, world: World): void {
  if (statusNow(invoice, world) !== 'completed') return show(response, 404, strangePage('en'));
  const { name } = storeOf(invoice);
  const lines = [
    name,
    `Invoice ${invoice.token}`,
    `${invoice.totalAmount} XOF`,
    'completed (sandbox, no money moved)',
  ];
  send(response, 200, pdfOf(lines), { 'content-type': 'application/pdf' });
}

/** The smallest document that viewers open: one page, a font that they all have, one line below the other. */
function pdfOf(lines: readonly string[]): string {
  const shown = lines.map((line) => `(${line.replace(/[^ -~]/g, '?').replace(/[\\()]/g, '\\$&')}) Tj T*`);
  const content = `BT /F1 16 Tf 24 TL 60 760 Td ${shown.join(' ')} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let document = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = document.length;
    document += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${document.length}\n%%EOF\n`;
  return `${document}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`;
}
