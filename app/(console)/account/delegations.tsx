import { Name } from '#app/_components/name.tsx';
import { Sentence } from '#app/_components/sentence.tsx';
import { Tile } from '#app/_components/tile.tsx';
import type { Words } from '#lib/language/words.ts';
import type { DelegationRow } from '#lib/registry/objects/consent.ts';
import { Form } from '../_ui/form.tsx';
import { Empty, Panel } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { When } from '../_ui/when.tsx';
import type { FormStart } from '../_visit/start-form.ts';
import { Whence } from './agent-shown.tsx';

type DelegationsProps = { delegations: DelegationRow[]; end: FormStart; words: Words };

/** The clients that may act for the person, each with a button that ends it. */
export function Delegations({ delegations, end, words }: DelegationsProps) {
  const { t, parts, shown } = words;
  const another = <a href="/account/agents">{t('my.agent_let')}</a>;
  if (delegations.length === 0) {
    return (
      <Panel id="delegations" heading={t('my.acting')} aside={another}>
        <Empty heading={t('my.acting_none')} inside>
          <p>{t('my.acting_none_lead')}</p>
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel id="delegations" heading={t('my.acting')} aside={another} lead={t('my.acting_lead')}>
      <ul className="list" aria-label={t('my.acting')}>
        {delegations.map(
          ({ id, clientOrigin, clientId, clientName, logoUri, apiName, scopes, until, givenAt }) => (
            <li className="row" key={id}>
              <div className="with-tile row-text">
                <Tile of="client" id={clientId} name={clientName} logoUri={logoUri} />
                <div className="row-text">
                  <p className="row-title">
                    <span>
                      <Sentence
                        parts={parts('my.may_act', {
                          agent: <Name words={words}>{clientName}</Name>,
                          api: <Name words={words}>{apiName}</Name>,
                        })}
                      />
                    </span>
                  </p>
                  <p className="soft">
                    {scopes.map(({ name, description }) => shown(description).text || name).join(' · ')}
                  </p>
                  <Whence of={{ clientId, clientOrigin }} words={words} />
                  <p className="soft">
                    <Sentence
                      parts={parts('my.allowed_ends', {
                        at: <When at={givenAt} words={words} />,
                        until: <When at={until} words={words} />,
                      })}
                    />
                  </p>
                </div>
              </div>
              <Form {...end} className="row-side" fields={{ id }}>
                <Submit
                  tone="plain"
                  of={t('my.of_delegation', { agent: shown(clientName).text, api: shown(apiName).text })}
                >
                  {t('my.end')}
                </Submit>
              </Form>
            </li>
          ),
        )}
      </ul>
    </Panel>
  );
}
