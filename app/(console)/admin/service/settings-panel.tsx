// The settings that hold, where each comes from, and its line in the documentation. No secret is among them.
import { Prose } from '#app/_components/prose.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { List, Row } from '#app/(console)/_ui/list.tsx';
import { Panel, Pill } from '#app/(console)/_ui/pieces.tsx';
import type { ServiceState } from '#lib/management/upkeep/service-state.ts';

type Setting = ServiceState['settings'][number];

const FROM: Record<Setting['from'], string> = toSay({
  environment: 'environment',
  start: 'found at the start',
  default: 'not set',
});

/** The words of a link, without its address. */
const plain = (markdown: string) => markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
const guideOf = (name: string) => `/documentation/guides/settings#:~:text=${encodeURIComponent(name)}`;

export function SettingsPanel({ settings }: { settings: readonly Setting[] }) {
  const isSet = ({ from }: Setting) => from !== 'default';
  return (
    <Panel
      id="settings"
      heading={say('Settings')}
      lead={say('Of the environment, as this process read it when it started. A secret is never shown.')}
    >
      <Settings label={say('Settings that are set')} rows={settings.filter(isSet)} />
      <details>
        <summary>{say('Those that are not set')}</summary>
        <Settings label={say('Settings that are not set')} rows={settings.filter((one) => !isSet(one))} />
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
          pills={from !== 'default' && <Pill tone="neutral">{say(FROM[from])}</Pill>}
        >
          {from === 'default' ? (
            <p lang="en">
              <Prose>{plain(unset)}</Prose>
            </p>
          ) : (
            <p>
              {value !== null && <code>{value}</code>} {secret && say('Set, and not shown.')}
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
