import { Name } from '#app/_components/name.tsx';
import { Tile } from '#app/_components/tile.tsx';
import type { DelegationListing } from '#lib/management/index.ts';
import { plainText } from '#lib/registry/index.ts';
import { Form } from '../_ui/form.tsx';
import { Empty, Panel } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { When } from '../_ui/when.tsx';
import type { FormStart } from '../_visit/start-form.ts';

type DelegationsProps = { delegations: DelegationListing[]; end: FormStart };

const HEADING = 'Acting in your name';

/** Whom the person lets act for them, each with a button that ends it. */
export function Delegations({ delegations, end }: DelegationsProps) {
  const another = <a href="/account/agents">Let an agent act for you</a>;
  if (delegations.length === 0) {
    return (
      <Panel id="delegations" heading={HEADING} aside={another}>
        <Empty heading="No agent acts in your name" inside>
          <p>
            An agent is an application that works for you while you are away, until a day that you choose.
          </p>
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel
      id="delegations"
      heading={HEADING}
      aside={another}
      lead="Each may do this for you without asking again. End stops it at once."
    >
      <ul className="list" aria-label={HEADING}>
        {delegations.map(({ id, clientId, clientName, logoUri, apiName, scopes, until, givenAt }) => (
          <li className="row" key={id}>
            <div className="with-tile row-text">
              <Tile of="client" id={clientId} name={clientName} logoUri={logoUri} />
              <div className="row-text">
                <p className="row-title">
                  <span>
                    <Name>{clientName}</Name> may act for you at <Name>{apiName}</Name>
                  </span>
                </p>
                <p className="soft">
                  {scopes.map(({ name, description }) => plainText(description) || name).join(' · ')}
                </p>
                <p className="soft">
                  Allowed <When at={givenAt} />, ends <When at={until} />
                </p>
              </div>
            </div>
            <Form {...end} className="row-side" fields={{ id }}>
              <Submit
                tone="plain"
                of={`what ${plainText(clientName)} may do for you at ${plainText(apiName)}`}
              >
                End
              </Submit>
            </Form>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
