// audit: searches, exports or follows the audit log. find: shows what a text names. inspect-token: shows the content
// of a token.
import { setTimeout as sleep } from 'node:timers/promises';
import { csvHead, csvLine, exportEvents, followEvents, listEvents } from '#lib/audit/audit-log.ts';
import { findPerson } from '#lib/catalogue/people/operations.ts';
import { now } from '#lib/kit/clock.ts';
import { toWire } from '#lib/kit/wire.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { eventsMeant, unknownEvent } from '#lib/registry/audit-event.ts';
import type { AuditFilter, AuditRecord } from '#lib/store/audit.ts';
import { type Command, type Input, listVerb, option, print, toggle, verb } from '../command.ts';
import type { Json } from '../service.ts';
import { firstLine, timeOf, WrongUsage, wholeNumber } from '../typed.ts';

const POLL_MS = 1000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const auditCommand = verb(
  'audit',
  'print the audit log, oldest first',
  async (input) => {
    const { text, flag } = input;
    if (flag('json') && flag('csv')) throw new WrongUsage('--json and --csv cannot be combined');
    const filter = await filterOf(input);
    const show = showAs(flag('json') ? 'json' : flag('csv') ? 'csv' : 'text');
    const follow = flag('follow') ? followEvents(filter, now()) : null;
    const limit = text('limit');
    if (limit === undefined && (flag('json') || flag('csv'))) {
      for await (const auditRecord of exportEvents(filter)) show(auditRecord);
    } else {
      const events = await listEvents({ ...filter, limit: wholeNumber(limit ?? '1000', '--limit') });
      events.forEach(show);
      const unknown = filter.events?.length === 0;
      if (events.length === 0 && !follow && !unknown) process.stderr.write('no matching event\n');
    }
    while (follow) {
      for (const record of await follow()) show(record);
      await sleep(POLL_MS);
    }
  },
  {
    options: {
      since: option('WHEN', 'a date, or how long ago: 30m, 12h, 7d'),
      until: option('WHEN', 'the same, for the end'),
      event: option('NAME', 'an event, or a group of events: token.refreshed, subscription, refused'),
      client: option('CLIENT_ID', 'only events of this client_id'),
      api: option('API', 'only events of this API'),
      person: option('WHO', 'only events of this person: an email address or an id'),
      actor: option('WHO', 'only events by this actor: a person’s id, client:ID, operator, config or system'),
      request: option('ID', 'only events of this request id'),
      limit: option('N', 'the maximum number of newest events (default: 1000; --json and --csv: all)'),
      follow: toggle('continue with new events', 'f'),
      json: toggle('one JSON object per line'),
      csv: toggle('comma-separated, with a header line'),
    },
  },
);

async function filterOf({ text }: Input): Promise<AuditFilter> {
  const time = (name: string) => {
    const typed = text(name);
    return typed === undefined ? undefined : timeOf(typed, `--${name}`);
  };
  return {
    since: time('since'),
    until: time('until'),
    ...eventsOf(text('event')),
    actor: text('actor'),
    personId: await personOf(text('person')),
    clientId: text('client'),
    apiId: text('api'),
    requestId: text('request'),
  };
}

function eventsOf(typed: string | undefined): Pick<AuditFilter, 'events'> {
  if (typed === undefined) return {};
  const events = eventsMeant(typed);
  if (events.length === 0) process.stderr.write(`${unknownEvent(typed).message}\n`);
  return { events };
}

async function personOf(typed: string | undefined): Promise<string | undefined> {
  if (typed === undefined || UUID.test(typed)) return typed;
  const person = await findPerson(OPERATOR, { email: typed });
  if (!person) throw new WrongUsage(`--person ${typed}: no person has this address`);
  return person.id;
}

function showAs(form: 'text' | 'json' | 'csv'): (one: AuditRecord) => void {
  if (form === 'csv') print(csvHead);
  const line = {
    text: lineOf,
    csv: csvLine,
    json: (auditRecord: AuditRecord) => JSON.stringify(toWire(auditRecord)),
  }[form];
  const started = now();
  const seen = new Set<string>();
  return (record) => {
    // the live stream repeats some events of the history, which are skipped
    if (seen.has(record.id)) return;
    if (record.at >= started) seen.add(record.id);
    print(line(record));
  };
}

function lineOf(auditRecord: AuditRecord): string {
  const named = [
    ['actor', auditRecord.actor],
    ['person', auditRecord.personId],
    ['client', auditRecord.clientId],
    ['api', auditRecord.apiId],
    ['method', auditRecord.authMethodId],
    ['ip', auditRecord.ip],
    ['request', auditRecord.requestId],
  ].flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
  const details = Object.keys(auditRecord.details).length > 0 ? [JSON.stringify(auditRecord.details)] : [];
  return [auditRecord.at.toISOString(), auditRecord.event, ...named, ...details].join(' ');
}

// find: shows what a text names. inspect-token: shows the content of a token.

export const findCommands: Command[] = [
  listVerb(
    'find TEXT',
    'search for an id, email address, client, key, request or redirect host',
    { KIND: 'kind', ID: 'id', API: 'api', NAME: 'name', ABOUT: 'about' },
    async ({ service, args: [q = ''] }) =>
      (await service.call('GET', `/find?${new URLSearchParams({ q })}`))['rows'] as Json[],
    { remote: true },
  ),
  verb(
    'inspect-token',
    'show the claims of a token, its signing key, and its validity',
    async ({ service }) => {
      const token = await firstLine();
      if (token === null) throw new WrongUsage('inspect-token reads the token from standard input');
      print(JSON.stringify(await service.call('POST', '/token-inspections', { token }), null, 2));
    },
    {
      notes:
        'The token is read from standard input, so that the token does not appear in the shell history. The token is not stored.',
      remote: true,
    },
  ),
];
