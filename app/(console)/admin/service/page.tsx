// The page about the service: version, health, queues, what expires soon, and the effective settings.

import { Prose } from '#app/_components/pieces.tsx';
import { List, Row } from '#app/(console)/_kit/list.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Fact, Facts, Kind, Panel, Pill, Title, When } from '#app/(console)/_kit/pieces.tsx';
import { consolePage } from '#app/(console)/_kit/visit.tsx';
import { CONNECTIONS } from '#app/(console)/_subjects/registry-forms.ts';
import { BringBack, ExpiringList, Finding } from '#app/(console)/_subjects/upkeep.tsx';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import type { Finding as Found } from '#lib/management/doctor.ts';
import { readService, type ServiceState } from '#lib/management/service.ts';
import { listExpiring, readFirstDay } from '#lib/management/upkeep.ts';

export const generateMetadata = pageTitle('Service');

export default consolePage('/admin/service', async (visited) => {
  const { actor, query, form } = visited;
  const elsewhere = query['elsewhere'] === 'yes';
  const [state, rows, { away, complete }] = await Promise.all([
    readService(actor, { elsewhere }),
    listExpiring(actor, { own: false }),
    readFirstDay(actor),
  ]);
  return (
    <>
      <Title
        actions={
          <a className="button plain small" href={CONNECTIONS}>
            {say('Test connections')}
          </a>
        }
        lead={say('Gatehouse {version} on Node.js {runtime}.', {
          version: state.version,
          runtime: state.runtime.replace(/^v/, ''),
        })}
      >
        {say('Service')}
      </Title>
      <Health findings={state.findings} elsewhere={elsewhere} />
      <Queues state={state} />
      <Panel
        id="expiring"
        heading={say('Expiring items')}
        lead={say('The next ninety days, earliest first.')}
      >
        <ExpiringList rows={rows} area="admin" none={say('Nothing.')} />
      </Panel>
      <SettingsPanel settings={state.settings} />
      {away && !complete && <BringBack list="service" start={await form('checklist')} />}
    </>
  );
});

const TONES = { broken: 'refused', warning: 'waiting', ok: 'good' } as const;
const WORDS = toSay({ broken: 'broken', warning: 'warning', ok: 'OK' });
const ORDER = ['broken', 'warning', 'ok'];

type HealthProps = { findings: readonly Found[]; elsewhere: boolean };

function Health({ findings, elsewhere }: HealthProps) {
  const worst = [...findings].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  return (
    <Panel
      id="health"
      heading={say('Health')}
      lead={say('The current result of gatehouse doctor.')}
      aside={
        elsewhere ? (
          <a href="/admin/service">{say('This service only')}</a>
        ) : (
          <a href="/admin/service?elsewhere=yes">
            {say('Check verifiers, brokers and our own pages as well')}
          </a>
        )
      }
    >
      <List label={say('Findings')}>
        {worst.map(({ check, state, detail }) => (
          <Row
            key={`${check} ${detail}`}
            title={<span lang="en">{check}</span>}
            pills={<Pill tone={TONES[state]}>{say(WORDS[state])}</Pill>}
          >
            <Finding>{detail}</Finding>
          </Row>
        ))}
      </List>
    </Panel>
  );
}

/** Maximum number of events that are counted. */
const MOST_EVENTS = 10_000;

function Queues({ state: { queues, maintenance } }: { state: ServiceState }) {
  const { subscriptions, registrations, logouts, oldestLogout, webhook } = queues;
  return (
    <Panel id="queues" heading={say('Pending work')}>
      <Facts>
        <Fact name={say('Client requests')}>
          <a href="/admin/approvals">{say('{count, number}', { count: subscriptions })}</a>
        </Fact>
        <Fact name={say('People waiting for an account')}>
          <a href="/admin/approvals">{say('{count, number}', { count: registrations })}</a>
        </Fact>
        <Fact name={say('Sign-outs not yet sent to clients')}>
          {oldestLogout === null ? (
            say('{count, number}', { count: logouts })
          ) : (
            <Say
              text="{count}, the oldest {time}"
              values={{ count: logouts, time: <When at={oldestLogout} /> }}
            />
          )}
        </Fact>
        <Fact name={say('Audit events for the webhook')}>
          <Webhook webhook={webhook} />
        </Fact>
        <Fact name={say('Maintenance')}>
          <Maintenance turn={maintenance} />
        </Fact>
      </Facts>
    </Panel>
  );
}

function Webhook({ webhook }: Pick<ServiceState['queues'], 'webhook'>) {
  if (webhook === null) return say('No webhook');
  const { waiting: count, failures } = webhook;
  const waiting =
    count > MOST_EVENTS
      ? say('More than {count, number}', { count: MOST_EVENTS })
      : say('{count, number}', { count });
  if (failures === 0) return waiting;
  return (
    <>
      {waiting}.{' '}
      {say('The last {count, plural, one {attempt} other {# attempts}} failed.', { count: failures })}
    </>
  );
}

function Maintenance({ turn }: { turn: ServiceState['maintenance'] }) {
  return (
    <>
      {turn?.finishedAt ? (
        <Say
          text="The last run ended {time} and deleted {rows, plural, one {# row} other {# rows}}."
          values={{ time: <When at={turn.finishedAt} />, rows: turn.deleted }}
        />
      ) : (
        say('No run yet.')
      )}
      {turn && !turn.complete && ` ${say('More rows are left to delete.')}`}
      {turn?.failedAt && (
        <>
          {' '}
          <Say
            text="It failed {time}: {why}"
            values={{ time: <When at={turn.failedAt} />, why: <bdi>{turn.failure}</bdi> }}
          />
        </>
      )}
    </>
  );
}

// Effective settings with their source and the text of the documentation. Secrets are not shown.

type Setting = ServiceState['settings'][number];

const FROM: Record<Setting['from'], string> = toSay({
  environment: 'environment',
  start: 'detected at startup',
  default: 'not set',
});

/** Replaces each Markdown link with its text. */
const plain = (markdown: string) => markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
const guideOf = (name: string) => `/documentation/guides/settings#:~:text=${encodeURIComponent(name)}`;

function SettingsPanel({ settings }: { settings: readonly Setting[] }) {
  const isSet = ({ from }: Setting) => from !== 'default';
  return (
    <Panel
      id="settings"
      heading={say('Settings')}
      lead={say('Environment variables as read at startup. Secrets are never shown.')}
    >
      <Settings label={say('Configured settings')} rows={settings.filter(isSet)} />
      <details>
        <summary>{say('Not configured')}</summary>
        <Settings
          label={say('Settings that are not set')}
          rows={settings.filter((setting) => !isSet(setting))}
        />
      </details>
    </Panel>
  );
}

function Settings({ label, rows }: { label: string; rows: readonly Setting[] }) {
  return (
    <List label={label}>
      {rows.map(({ name, from, secret, value, means, unset }) => (
        <Row
          key={name}
          title={<a href={guideOf(name)}>{name}</a>}
          pills={from !== 'default' && <Kind>{say(FROM[from])}</Kind>}
        >
          {from === 'default' ? (
            <p lang="en">
              <Prose>{plain(unset)}</Prose>
            </p>
          ) : (
            <p>
              {value !== null && <code>{value}</code>} {secret && say('Set, but not shown.')}
            </p>
          )}
          <p lang="en">
            <Prose>{plain(means)}</Prose>
          </p>
        </Row>
      ))}
    </List>
  );
}
