import { Name } from '#app/_components/name.tsx';
import { Sentence } from '#app/_components/sentence.tsx';
import { Tile } from '#app/_components/tile.tsx';
import type { Words } from '#lib/language/words.ts';
import type { ConsentRow } from '#lib/registry/objects/consent.ts';
import { Form } from '../_ui/form.tsx';
import { Empty, Panel } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { When } from '../_ui/when.tsx';
import type { FormStart } from '../_visit/start-form.ts';
import { Whence } from './agent-shown.tsx';

type ConsentsProps = { consents: ConsentRow[]; withdraw: FormStart; words: Words };

/**
 * The person's consents, in the words of the consent page, each with a button that withdraws it; agents in a list of
 * their own.
 */
export function Consents({ consents, withdraw, words }: ConsentsProps) {
  const { t } = words;
  const others = consents.filter(({ clientOrigin }) => clientOrigin === null);
  const agents = consents.filter(({ clientOrigin }) => clientOrigin !== null);
  return (
    <>
      {others.length === 0 ? (
        <Panel id="applications" heading={t('my.uses')}>
          <Empty heading={t('my.uses_none')} inside>
            <p>{t('my.uses_none_lead')}</p>
          </Empty>
        </Panel>
      ) : (
        <Panel id="applications" heading={t('my.uses')} lead={t('my.uses_lead')}>
          <ConsentList label={t('my.uses')} consents={others} withdraw={withdraw} words={words} />
        </Panel>
      )}
      {agents.length > 0 && (
        <Panel id="agents" heading={t('my.agents')} lead={t('my.agents_lead')}>
          <ConsentList label={t('my.agents')} consents={agents} withdraw={withdraw} words={words} />
        </Panel>
      )}
    </>
  );
}

type ConsentListProps = ConsentsProps & { label: string };

function ConsentList({ label, consents, withdraw, words }: ConsentListProps) {
  const { t, parts, shown } = words;
  return (
    <ul className="list" aria-label={label}>
      {consents.map((consent) => (
        <li className="row" key={consent.id}>
          <div className="with-tile row-text">
            <Tile of="client" id={consent.clientId} name={consent.clientName} logoUri={consent.logoUri} />
            <div className="row-text">
              <p className="row-title">
                <span>
                  <Sentence
                    parts={parts('my.may_use', {
                      client: <Name words={words}>{consent.clientName}</Name>,
                      api: <Name words={words}>{consent.apiName}</Name>,
                    })}
                  />
                </span>
              </p>
              <p className="soft">
                {consent.scopes.map(({ name, description }) => shown(description).text || name).join(' · ')}
              </p>
              {consent.devices.length > 0 && (
                <p className="soft">
                  <Sentence
                    parts={parts('my.devices_from', {
                      from: <bdi>{consent.devices.map((from) => from || '?').join(', ')}</bdi>,
                    })}
                  />
                </p>
              )}
              <Whence of={consent} words={words} />
              <p className="soft">
                <Sentence
                  parts={
                    consent.lastUsedAt
                      ? parts('my.allowed_used', {
                          at: <When at={consent.grantedAt} words={words} />,
                          used: <When at={consent.lastUsedAt} words={words} />,
                        })
                      : parts('my.allowed_on', { at: <When at={consent.grantedAt} words={words} /> })
                  }
                />
              </p>
            </div>
          </div>
          <Form {...withdraw} className="row-side" fields={{ id: consent.id }}>
            <Submit
              tone="plain"
              of={t('my.of_access', {
                client: shown(consent.clientName).text,
                api: shown(consent.apiName).text,
              })}
            >
              {t('my.withdraw')}
            </Submit>
          </Form>
        </li>
      ))}
    </ul>
  );
}
