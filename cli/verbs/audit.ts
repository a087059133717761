// audit: the audit log, searched, exported, or as it grows.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AuditFilter,
  type AuditRecord,
  csvHead,
  csvLine,
  exportEvents,
  followEvents,
  listEvents,
} from '#lib/audit/index.ts';
import { now, toWire } from '#lib/kit/index.ts';
import { findPerson, OPERATOR } from '#lib/management/index.ts';
import { type Command, type Input, print, WrongUsage, wholeNumber } from '../command.ts';
import { timeOf } from '../time.ts';

const POLL_MS = 1000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const auditCommand: Command = {
  name: 'audit',
  args: [],
  about: 'print the audit log, oldest first',
  options: {
    since: { type: 'string', value: 'WHEN', about: 'a date, or how long ago: 30m, 12h, 7d' },
    until: { type: 'string', value: 'WHEN', about: 'the same, for the end' },
    event: {
      type: 'string',
      value: 'NAME',
      about: 'one event, or a group of them: token.refreshed, subscription.',
    },
    client: { type: 'string', value: 'CLIENT_ID', about: 'of this client_id' },
    api: { type: 'string', value: 'API', about: 'of this API' },
    person: { type: 'string', value: 'WHO', about: 'of this person: an e-mail address or an id' },
    actor: { type: 'string', value: 'WHO', about: 'done by: a person’s id, operator, config or system' },
    request: { type: 'string', value: 'ID', about: 'of this request id' },
    limit: {
      type: 'string',
      value: 'N',
      about: 'at most so many of the newest (default: 1000; --json and --csv: all)',
    },
    follow: { type: 'boolean', short: 'f', about: 'go on with what happens from here' },
    json: { type: 'boolean', about: 'one JSON object a line' },
    csv: { type: 'boolean', about: 'comma-separated, with a head' },
  },
  needs: 'migrated',
  async run(input) {
    const { text, flag } = input;
    if (flag('json') && flag('csv')) throw new WrongUsage('--json or --csv, not both');
    const filter = await filterOf(input);
    const show = showAs(flag('json') ? 'json' : flag('csv') ? 'csv' : 'text');
    const follow = flag('follow') ? followEvents(filter, now()) : null;
    const limit = text('limit');
    if (limit === undefined && (flag('json') || flag('csv'))) {
      for await (const one of exportEvents(filter)) show(one);
    } else {
      const found = await listEvents({ ...filter, limit: wholeNumber(limit ?? '1000', '--limit') });
      found.forEach(show);
      if (found.length === 0 && !follow) process.stderr.write('no event fits\n');
    }
    while (follow) {
      for (const one of await follow()) show(one);
      await sleep(POLL_MS);
    }
  },
};

async function filterOf({ text }: Input): Promise<AuditFilter> {
  const time = (name: string) => {
    const typed = text(name);
    return typed === undefined ? undefined : timeOf(typed, `--${name}`);
  };
  return {
    since: time('since'),
    until: time('until'),
    event: text('event'),
    actor: text('actor'),
    personId: await personOf(text('person')),
    clientId: text('client'),
    apiId: text('api'),
    requestId: text('request'),
  };
}

async function personOf(typed: string | undefined): Promise<string | undefined> {
  if (typed === undefined || UUID.test(typed)) return typed;
  const person = await findPerson(OPERATOR, { email: typed });
  if (!person) throw new WrongUsage(`--person ${typed}: there is nobody with this address`);
  return person.id;
}

function showAs(form: 'text' | 'json' | 'csv'): (one: AuditRecord) => void {
  if (form === 'csv') print(csvHead);
  const line = { text: lineOf, csv: csvLine, json: (one: AuditRecord) => JSON.stringify(toWire(one)) }[form];
  const started = now();
  const seen = new Set<string>();
  return (one) => {
    // what happened while the past was printed is part of both
    if (seen.has(one.id)) return;
    if (one.at >= started) seen.add(one.id);
    print(line(one));
  };
}

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
