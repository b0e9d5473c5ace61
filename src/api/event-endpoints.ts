/** Where signed deliveries go. Who may read events may have them posted, to an endpoint of the key's own. */
import { type Response, Router } from 'express';
import { z } from 'zod';
import { eventTypes } from '../kinds/event-types.ts';
import type { EndpointService } from '../events/endpoint-service.ts';
import type { Endpoint, Endpoints, LogLine } from '../operations/endpoints.ts';
import { problemsOf } from '../producer/problems.ts';
import { requireRole } from './context.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';

export interface EndpointRoutesContext {
  readonly endpoints: Endpoints;
  readonly endpointService: EndpointService;
}

export const registration = z.strictObject({
  url: z.string().min(1).max(2_048).meta({ example: 'https://shop.example/relais' }),
  types: z
    .array(z.enum(eventTypes, { error: `must be of ${eventTypes.join(', ')}` }))
    .min(1)
    .max(eventTypes.length)
    .optional()
    .meta({ description: 'Absent: all.', example: ['disbursement.succeeded', 'disbursement.failed'] }),
});

export const replayOrder = z.strictObject({
  since: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-11-21T08:00:00Z' })
    .meta({ example: '2026-11-21T08:00:00Z' }),
});

export function endpointRoutes({ endpoints, endpointService }: EndpointRoutesContext): Router {
  const router = Router();

  router.post('/', async (request, response) => {
    const key = requireRole(response, 'read');
    const { url, types = [] } = parsed(registration, request.body);
    const problem = endpointService.problemOf(url);
    if (problem) throw invalid([{ pointer: '/url', message: problem }]);
    const accounts = [...(key.accounts ?? [])];
    const made = await endpointService.register({ url, types, accounts, owner: key.name });
    const endpoint = 'id' in made ? await endpoints.read(made.id) : undefined;
    if ('problem' in made || !endpoint) throw new ApiProblem('wrong-state', 'problem' in made ? made.problem : '');
    // The only time that it is shown.
    response.status(201).json({ ...view(endpoint), secret: made.secret.reveal() });
  });

  router.get('/', async (_request, response) => {
    const key = requireRole(response, 'read');
    const items = (await endpoints.all()).filter((endpoint) => maySee(key, endpoint)).map(view);
    response.json({ items, next: null });
  });

  router.get('/:id', async (request, response) => {
    const endpoint = await find(endpoints, response, request.params.id);
    const { log, ...progress } = await endpoints.progress(endpoint.id);
    response.json({ ...view(endpoint), ...progress, deliveries: log.map(lineView) });
  });

  router.delete('/:id', async (request, response) => {
    const { id } = await find(endpoints, response, request.params.id);
    await endpoints.remove(id);
    response.status(204).end();
  });

  router.post('/:id/replay', async (request, response) => {
    const endpoint = await find(endpoints, response, request.params.id);
    const { since } = parsed(replayOrder, request.body);
    response.status(202).json(await endpointService.replay(endpoint, Date.parse(since)));
  });

  router.post('/:id/rotate-secret', async (request, response) => {
    const endpoint = await find(endpoints, response, request.params.id);
    const made = await endpointService.rotate(endpoint.id);
    if ('problem' in made) throw new ApiProblem('wrong-state', made.problem);
    response.json({ ...view(endpoint), secret: made.secret.reveal() });
  });

  return router;
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const read = schema.safeParse(body ?? {});
  if (!read.success) throw invalid(problemsOf(read.error));
  return read.data;
}

function maySee(key: ApiKey, { owner }: Endpoint): boolean {
  return owner === key.name || (key.roles.has('operate') && key.accounts === undefined);
}

/** Another key's endpoint is as good as none. */
async function find(endpoints: Endpoints, response: Response, id: string): Promise<Endpoint> {
  const key = requireRole(response, 'read');
  const endpoint = /^[\w-]{1,64}$/.test(id) ? await endpoints.read(id) : undefined;
  if (endpoint && maySee(key, endpoint)) return endpoint;
  throw new ApiProblem('not-found', `There is no event endpoint ${id.slice(0, 80)}.`);
}

const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

function view({ id, url, types, accounts, state, createdAt, deliveredAt, failingSince, reason }: Endpoint) {
  return {
    id,
    url,
    types: types.length > 0 ? types : null,
    accounts: accounts.length > 0 ? accounts : null,
    state,
    reason: reason ?? null,
    createdAt: iso(createdAt),
    lastDeliveredAt: iso(deliveredAt),
    failingSince: iso(failingSince),
  };
}

function lineView({ at, event, outcome, answer, tries }: LogLine) {
  return { at: iso(at), event, outcome, answer, tries };
}
