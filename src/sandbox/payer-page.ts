/**
 * The pages on which a payer pays, cancels or fails an invoice or a payment request, and the receipt. They have the
 * addresses of the provider's own pages, and change only the sandbox's records.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Html, html } from '../lib/html.ts';
import { money } from '../messages/figures.ts';
import { type Language, languageAccepted, wordsIn } from '../messages/languages.ts';
import { send } from './answers.ts';
import { actionsOf, settleInvoice, statusNow, storeOf } from './checkout.ts';
import { requestUrl, settlePaymentRequest } from './payment-requests.ts';
import type { Invoice, PaymentRequest } from './records.ts';
import type { Simulator } from './simulator.ts';

/** Softpay links to the same page by other paths. */
const INVOICE = /^\/(?:checkout\/(?:invoice|return)|pay|3ds)\/([\w-]{1,100})$/;
const RECEIPT = /^\/checkout\/receipt\/pdf\/([\w-]{1,100})\.pdf$/;
const PAYMENT_REQUEST = /^\/payment-request\/([\w-]{1,100})$/;

const DECISIONS = ['completed', 'cancelled', 'failed'] as const;
const DECISIONS_OF_REQUEST = ['completed', 'failed'] as const;

interface Visit {
  readonly language: Language;
  /** The value of the button. Undefined: the page is only read; null: the form had no decision. */
  readonly pressed: string | null | undefined;
  readonly response: ServerResponse;
  readonly simulator: Simulator;
}

/** False if the path is not one of these pages. */
export function showPayer(
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
  simulator: Simulator,
): boolean {
  const [path = ''] = (request.url ?? '').split('?');
  const pressed = request.method === 'POST' ? new URLSearchParams(text).get('decision') : undefined;
  const language = languageAccepted(request.headers['accept-language']) ?? 'en';
  const visit = { language, pressed, response, simulator };
  const [, token] = INVOICE.exec(path) ?? [];
  const [, receipt] = RECEIPT.exec(path) ?? [];
  const [, reference] = PAYMENT_REQUEST.exec(path) ?? [];
  if (reference !== undefined) visitRequest(reference, visit);
  else if (token !== undefined) visitInvoice(token, visit);
  else if (receipt !== undefined) visitReceipt(receipt, visit);
  else return false;
  return true;
}

function visitInvoice(token: string, { language, pressed, response, simulator }: Visit): void {
  const invoice = simulator.records.invoices.get(token);
  if (invoice === undefined) show(response, 404, unknownPage(language));
  else if (pressed !== undefined) decide(invoice, pressed, response, simulator);
  else show(response, 200, invoicePage(invoice, language, simulator));
}

function visitReceipt(token: string, { language, response, simulator }: Visit): void {
  const invoice = simulator.records.invoices.get(token);
  if (invoice === undefined || statusNow(invoice, simulator) !== 'completed')
    show(response, 404, unknownPage(language));
  else showReceipt(invoice, response);
}

function visitRequest(reference: string, { language, pressed, response, simulator }: Visit): void {
  const request = simulator.records.paymentRequests.get(reference);
  if (request === undefined) return show(response, 404, unknownPage(language));
  if (pressed === undefined) return show(response, 200, requestPage(request, language));
  const decision = DECISIONS_OF_REQUEST.find((one) => one === pressed);
  if (decision !== undefined && request.status !== 'completed') settlePaymentRequest(request, decision, simulator);
  send(response, 303, '', { location: requestUrl(reference, simulator) });
}

/** Redirects the payer by the invoice's resulting status, which may differ from the button. */
function decide(invoice: Invoice, pressed: string | null, response: ServerResponse, simulator: Simulator): void {
  const decision = DECISIONS.find((one) => one === pressed);
  const { token } = invoice;
  const here = `${simulator.base}/checkout/invoice/${token}`;
  if (decision !== undefined && statusNow(invoice, simulator) !== 'completed')
    void settleInvoice(
      invoice,
      decision,
      simulator,
      decision === 'failed' ? 'Refused by the payer of the sandbox' : '',
    );
  send(response, 303, '', { location: decision === undefined ? here : (redirectOf(invoice) ?? here) });
}

/** Only return_url gets the token (interface: actions.return_url). */
function redirectOf(invoice: Invoice): string | undefined {
  const { return_url: back, cancel_url: away } = actionsOf(invoice);
  if (invoice.status === 'cancelled') return away;
  if (invoice.status !== 'completed' || back === undefined) return undefined;
  const url = new URL(back);
  url.searchParams.set('token', invoice.token);
  return url.href;
}

interface Payable {
  readonly name: string;
  readonly description: string;
  readonly amount: number;
  readonly status: Invoice['status'];
  readonly decisions: readonly (typeof DECISIONS)[number][];
  /** Shown after the payment. */
  readonly paid?: Html;
}

function invoicePage(invoice: Invoice, language: Language, simulator: Simulator): Html {
  const { payer } = wordsIn(language);
  const paid = html`<p><a href="/checkout/receipt/pdf/${invoice.token}.pdf">${payer.receipt}</a></p>`;
  const status = statusNow(invoice, simulator);
  const { name, description } = storeOf(invoice);
  return payerPage({ name, description, amount: invoice.totalAmount, status, decisions: DECISIONS, paid }, language);
}

function requestPage({ reference, amount, status }: PaymentRequest, language: Language): Html {
  const { payer } = wordsIn(language);
  const decisions = DECISIONS_OF_REQUEST;
  return payerPage({ name: payer.asked, description: reference, amount, status, decisions }, language);
}

function payerPage({ name, description, amount, status, decisions, paid }: Payable, language: Language): Html {
  const { payer, figures } = wordsIn(language);
  const says = { completed: payer.pay(money(amount, figures)), cancelled: payer.cancel, failed: payer.fail };
  const buttons = decisions.map(
    (decision) =>
      html`<button class="${decision === 'completed' ? 'pay' : ''}" name="decision" value="${decision}">${says[decision]}</button>`,
  );
  const body = html`<p class="note">${payer.sandbox}</p>
    <h1>${name}</h1>
    <p>${description}</p>
    <p class="sum">${money(amount, figures)}</p>
    <p role="status">${payer.states[status]}</p>
    ${status === 'completed' ? paid : html`<form method="post">${buttons}</form>`}`;
  return page(language, payer.title, body);
}

function unknownPage(language: Language): Html {
  const { payer } = wordsIn(language);
  return page(language, payer.title, html`<h1>${payer.strange}</h1>`);
}

const STYLE =
  ':root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:30rem;margin:0 auto;padding:1.5rem}' +
  '.note{border:2px dashed;padding:.5rem;font-size:1rem}.sum{font-size:2rem;font-weight:700;margin:0}button{font:inherit;' +
  'display:block;width:100%;padding:.75rem;margin:.75rem 0;border:2px solid;border-radius:.5rem;background:Canvas;' +
  'color:CanvasText;cursor:pointer}.pay{background:#0b6b3a;border-color:transparent;color:#fff;font-weight:600}:focus-visible{outline:3px solid;' +
  'outline-offset:3px}';

/** Without `form-action`: browsers also apply it to the redirect after a form, and that leads to the merchant. */
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

function showReceipt(invoice: Invoice, response: ServerResponse): void {
  const { name } = storeOf(invoice);
  const lines = [
    name,
    `Invoice ${invoice.token}`,
    `${invoice.totalAmount} XOF`,
    'completed (sandbox, no money moved)',
  ];
  send(response, 200, pdfOf(lines), { 'content-type': 'application/pdf' });
}

/** A minimal valid PDF: one page of lines in a built-in font. */
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
  const offsets = objects.map((object, at) => {
    const offset = document.length;
    document += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${document.length}\n%%EOF\n`;
  return `${document}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`;
}
