// What the doctor finds, the worst first.
import { say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { List, Row } from '#app/(console)/_ui/list.tsx';
import { Panel, Pill } from '#app/(console)/_ui/pieces.tsx';
import { Finding } from '#app/(console)/_upkeep/finding.tsx';
import type { Finding as Found } from '#lib/management/service/doctor-finding.ts';

const TONES = { broken: 'refused', warning: 'waiting', ok: 'good' } as const;
const WORDS = toSay({ broken: 'broken', warning: 'look at it', ok: 'all right' });
const ORDER = ['broken', 'warning', 'ok'];

type HealthProps = { findings: readonly Found[]; elsewhere: boolean };

export function Health({ findings, elsewhere }: HealthProps) {
  const worst = [...findings].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  return (
    <Panel
      id="health"
      heading={say('Health')}
      lead={say('What gatehouse doctor says, asked just now.')}
      aside={
        elsewhere ? (
          <a href="/admin/service">{say('Only this service')}</a>
        ) : (
          <a href="/admin/service?elsewhere=yes">{say('Ask verifiers, brokers and our own pages, too')}</a>
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
