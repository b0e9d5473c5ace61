import { z } from 'zod';
import { campaignAmendment, campaignRequest } from '../../kinds/campaign-request.ts';
import { campaignRetry } from '../campaign-retry.ts';
import { optOutRequest } from '../opt-outs.ts';
import { campaign, optOuts, optOutsChanged, recipientStates, recipients, uploadReport } from './answers-texts.ts';
import { accountQuery, after, answer, json, limit, listFiles } from './pieces.ts';
import { defineRoutes, type RouteDeclaration } from '../route.ts';

const switches = {
  start: ['Begin to send.', 'It has recipients, and begins.'],
  pause: ['Stop sending for now. What is on its way arrives.', 'Nothing more is sent until it is resumed.'],
  resume: ['Go on. An account that is held for messaging is tried again.', 'It goes on.'],
  cancel: ['Stop for good. What was not sent yet will not be.', 'Nothing more will be sent.'],
} as const;

const switchRoutes = Object.entries(switches).map(
  ([name, [summary, says]]): RouteDeclaration => ({
    method: 'post',
    path: `/v1/campaigns/{id}/${name}`,
    id: `${name}Campaign`,
    tag: 'Campaigns',
    summary,
    description: 'Asking for the state that it is already in changes nothing.',
    role: 'enqueue',
    scope: 'record',
    ...(name === 'start' ? { durable: true } : {}),
    answers: { 200: answer(says, campaign) },
    problems: ['wrong-state', ...(name === 'resume' ? (['recovering'] as const) : [])],
  }),
);

const retryRoute: RouteDeclaration = {
  method: 'post',
  path: '/v1/campaigns/{id}/retry',
  id: 'retryCampaign',
  tag: 'Campaigns',
  summary: 'Send a finished campaign again to those who failed.',
  description:
    'Asking while it goes on changes nothing, and asking again under the same `Idempotency-Key` never does. Its end is ' +
    'announced again, with a higher sequence.',
  role: 'enqueue',
  scope: 'record',
  identity: 'optional',
  durable: true,
  body: json(campaignRetry),
  answers: { 200: answer('It goes on.', campaign) },
  problems: ['wrong-state'],
};

const uploadQuery = {
  dryRun: z.boolean().default(false).meta({ description: 'Judge everything, add nothing.' }),
  preview: z.int().min(1).max(20).optional().meta({ description: 'Show so many of the first texts.' }),
  repair: z.string().optional().meta({ description: 'Countries whose old numbers are renewed: `CI,BJ`.' }),
  phoneColumn: z
    .string()
    .optional()
    .meta({ description: 'The column of the numbers, where its name does not tell.' }),
  sheet: z.string().optional().meta({ description: 'Of a workbook; absent: the first that can be seen.' }),
  takeHidden: z.boolean().default(false).meta({ description: 'Take the rows that the spreadsheet hides, too.' }),
};

export const campaignRoutes = defineRoutes([
  {
    method: 'post',
    path: '/v1/campaigns',
    id: 'createCampaign',
    tag: 'Campaigns',
    summary: 'Make a campaign, without recipients yet.',
    description: 'Words in `{{braces}}` are filled in from the columns of the recipients.',
    role: 'enqueue',
    scope: 'named',
    identity: 'required',
    durable: true,
    body: json(campaignRequest),
    answers: { 201: answer('Made, or made before.', campaign) },
  },
  {
    method: 'get',
    path: '/v1/campaigns/{id}',
    id: 'getCampaign',
    tag: 'Campaigns',
    summary: 'How far it has come.',
    role: 'read',
    scope: 'record',
    answers: { 200: answer('As it is now.', campaign) },
  },
  {
    method: 'patch',
    path: '/v1/campaigns/{id}',
    id: 'amendCampaign',
    tag: 'Campaigns',
    summary: 'Send it faster or slower, through the night or not.',
    description: 'Counts from the next chunk on. null takes a limit away.',
    role: 'enqueue',
    scope: 'record',
    body: json(campaignAmendment),
    answers: { 200: answer('As it is now.', campaign) },
    problems: ['wrong-state'],
  },
  {
    method: 'post',
    path: '/v1/campaigns/{id}/recipients',
    id: 'addRecipients',
    tag: 'Campaigns',
    summary: 'Upload recipients, before the start.',
    description:
      'Column `to` (also `téléphone`, `mobile`, `portable`, `GSM`, `WhatsApp`, `contact` …, or `phoneColumn`); the others ' +
      'are variables. An upload counts whole or not at all; the same bytes again are a replay; several uploads append.',
    role: 'enqueue',
    scope: 'record',
    durable: true,
    query: uploadQuery,
    body: {
      files: listFiles('to;prenom\n+221771234567;Awa\n', '{"to":"+221771234567","prenom":"Awa"}\n'),
    },
    answers: { 200: answer('What was counted, and what was left out and why.', uploadReport) },
    problems: ['wrong-state'],
  },
  {
    method: 'get',
    path: '/v1/campaigns/{id}/recipients',
    id: 'listRecipients',
    tag: 'Campaigns',
    summary: 'What became of each recipient; as CSV with `Accept: text/csv`.',
    description: 'With a filter a page may be short, or empty, while `next` still leads on.',
    role: 'read',
    scope: 'record',
    query: { state: z.enum(recipientStates).optional(), after, limit: limit(100, 1_000) },
    answers: {
      200: {
        says: 'A page of them.',
        schema: recipients,
        files: {
          'text/csv': { says: 'One line per recipient.', example: 'to;row;state\r\n+221771234567;2;sent\r\n' },
        },
        headers: { 'X-Next': 'With CSV: what `next` is with JSON; absent at the end.' },
      },
    },
  },
  ...switchRoutes,
  retryRoute,
]);

const listQuery = {
  account: accountQuery,
  from: z.string().optional().meta({ description: 'Only of this sender; absent: of all.' }),
  country: z.string().optional().meta({ description: 'Country of the numbers that are written without one.' }),
};
/** The rest is in the query. */
const phoneFiles = listFiles('to\n+221771234567\n', '{"to":"+221771234567"}\n');
const BAD_NUMBERS = 'What cannot be read is named by its place, and the others are done.';

export const optOutRoutes = defineRoutes([
  {
    method: 'post',
    path: '/v1/opt-outs',
    id: 'addOptOuts',
    tag: 'Opt-outs',
    summary: 'Text these numbers no more.',
    description: BAD_NUMBERS,
    role: 'enqueue',
    scope: 'named',
    durable: 'also recovering',
    query: listQuery,
    body: { ...json(optOutRequest), files: phoneFiles },
    answers: { 200: answer('How many are new.', optOutsChanged) },
  },
  {
    method: 'delete',
    path: '/v1/opt-outs',
    id: 'removeOptOuts',
    tag: 'Opt-outs',
    summary: 'They may be texted again: they said so.',
    description: BAD_NUMBERS,
    role: 'operate',
    scope: 'named',
    durable: 'also recovering',
    query: listQuery,
    body: { ...json(optOutRequest), files: phoneFiles },
    answers: { 200: answer('How many were on the list.', optOutsChanged) },
  },
  {
    method: 'get',
    path: '/v1/opt-outs',
    id: 'listOptOuts',
    tag: 'Opt-outs',
    summary: 'List them, or ask about one number.',
    role: 'read',
    scope: 'named',
    query: {
      ...listQuery,
      phone: z.string().optional().meta({ description: 'Answered with `optedOut`, without the list.' }),
      after,
      limit: limit(1_000, 10_000),
    },
    answers: { 200: answer('A page of them, or the one that was asked about.', optOuts) },
  },
]);
