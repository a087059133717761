// audit: the audit log, once or as it grows.
import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditRecord, listEvents } from '#lib/audit/index.ts';
import { type Command, print, wholeNumber } from '../command.ts';
import { timeOf } from '../time.ts';

const POLL_MS = 1000;

export const auditCommand: Command = {
  name: 'audit',
  args: [],
  about: 'print the audit log, oldest first',
  options: {
    since: { type: 'string', about: 'a date, or how long ago: 30m, 12h, 7d' },
    limit: { type: 'string', about: 'at most so many of the newest (default: 1000)' },
    follow: { type: 'boolean', short: 'f', about: 'go on with what happens from here' },
    json: { type: 'boolean', about: 'one JSON object a line' },
  },
  needs: 'migrated',
  async run({ text, flag }) {
    const since = text('since');
    const limit = wholeNumber(text('limit') ?? '1000', '--limit');
    const show = flag('json')
      ? (one: AuditRecord) => print(JSON.stringify(one))
      : (one: AuditRecord) => print(lineOf(one));
    const first = await listEvents({
      limit,
      ...(since === undefined ? {} : { since: timeOf(since, '--since') }),
    });
    first.forEach(show);
    let afterId = first.at(-1)?.id ?? '0';
    while (flag('follow')) {
      await sleep(POLL_MS);
      const next = await listEvents({ afterId, limit: 1000 });
      next.forEach(show);
      afterId = next.at(-1)?.id ?? afterId;
    }
  },
};

function lineOf(one: AuditRecord): string {
  const named = [
    ['actor', one.actor],
    ['person', one.personId],
    ['client', one.clientId],
    ['api', one.apiId],
    ['method', one.authMethodId],
    ['ip', one.ip],
    ['request', one.requestId],
  ].flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
  const details = Object.keys(one.details).length > 0 ? [JSON.stringify(one.details)] : [];
  return [one.at.toISOString(), one.event, ...named, ...details].join(' ');
}
