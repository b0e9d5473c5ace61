/** The routes that what collects, or credits, has in common: where it stands, asking now, and a person's word. */
import type { Router } from 'express';
import type { RecordOf } from '../operations/record.ts';
import type { CollectKind } from '../processors/announced.ts';
import { type Creation, lookWhileWaiting } from './collect-create.ts';
import { type Resolvable, addResolve } from './collect-resolve.ts';
import { type ApiContext, findRecord, requireRole } from './context.ts';

interface Shown<K extends CollectKind> {
  readonly kind: K;
  readonly view: (record: RecordOf[K]) => object;
}

export function addShow<K extends CollectKind>(router: Router, context: ApiContext, { kind, view }: Shown<K>): void {
  router.get('/:id', async (request, response) => {
    const key = requireRole(response, 'read');
    response.json(view(await findRecord(context, key, kind, request.params.id)));
  });
}

/** Of what upstream can be asked about at any time. */
export function addAskable<K extends 'invoice' | 'payment_request'>(
  router: Router,
  context: ApiContext,
  how: Creation<K> & Resolvable<K>,
): void {
  addShow(router, context, how);
  router.post('/:id/confirm', (request, response) => lookWhileWaiting(context, request, response, how));
  addResolve(router, context, how);
}
