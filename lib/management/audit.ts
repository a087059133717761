// The audit log in pages, and the numbers of the console's first pages.
import {
  type AuditFilter,
  type AuditRow,
  countPending,
  countRegistry,
  type RegistryCounts,
  selectAuditPage,
} from '#lib/store/index.ts';
import { operation } from './operation.ts';
import { type Asked, NUMBER_PART, type Page, readPage, TIME_PART, UUID_PART, withoutKey } from './page.ts';
import { type Actor, decidableBy, mayDo, requireAction } from './policy.ts';

export const pageAudit = operation(
  'pageAudit',
  async (actor: Actor, input: Omit<Asked, 'search'> & AuditFilter = {}): Promise<Page<AuditEntry>> => {
    requireAction(actor, 'audit.read');
    if (input.personId !== undefined && !UUID_PART.test(input.personId)) return { rows: [], next: null };
    const page = await readPage(input, {
      parts: [TIME_PART, NUMBER_PART],
      select: (from) => selectAuditPage({ ...input, ...from }),
      key: (row) => [row.key, row.id],
    });
    return { ...page, rows: page.rows.map(withoutKey) };
  },
);

export type { AuditFilter } from '#lib/store/index.ts';
export type AuditEntry = Omit<AuditRow, 'key'>;

export type Overview = {
  /** requests that wait for this actor's decision; 0 for who may not decide */
  pending: number;
  /** for administrators, where they are asked for */
  counts: RegistryCounts | null;
};

export const readOverview = operation(
  'readOverview',
  async (actor: Actor, input: { counts?: boolean } = {}): Promise<Overview> => {
    requireAction(actor, 'account.read');
    const counts = input.counts === true && mayDo(actor, 'registry.read') ? await countRegistry() : null;
    if (!mayDo(actor, 'subscriptions.decide')) return { pending: 0, counts };
    return { pending: await countPending(decidableBy(actor)), counts };
  },
);
