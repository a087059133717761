import { Name } from '#app/_components/name.tsx';
import { Tile } from '#app/_components/tile.tsx';
import type { ConsentListing } from '#lib/management/index.ts';
import { documentHost, plainText } from '#lib/registry/index.ts';
import { Form } from '../_ui/form.tsx';
import { Empty, Panel } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { When } from '../_ui/when.tsx';
import type { FormStart } from '../_visit/start-form.ts';

/** An agent is known by the host of its document: anybody may give theirs any name. */
function whence({ clientId, clientOrigin: origin }: ConsentListing): string {
  const host = documentHost({ clientId, origin });
  return host === null ? 'An agent that registered itself' : `An agent from ${host}`;
}

type ConsentsProps = { consents: ConsentListing[]; withdraw: FormStart };

/** The person's consents, in the words of the consent page, each with a button that withdraws it; agents in a list of their own. */
export function Consents({ consents, withdraw }: ConsentsProps) {
  const others = consents.filter(({ clientOrigin }) => clientOrigin === null);
  const agents = consents.filter(({ clientOrigin }) => clientOrigin !== null);
  return (
    <>
      {others.length === 0 ? (
        <Panel id="applications" heading="Applications with access">
          <Empty heading="No application may act for you" inside>
            <p>
              When you allow one, it stands here with what it may do, and you can take that back at any time.
            </p>
          </Empty>
        </Panel>
      ) : (
        <Panel
          id="applications"
          heading="Applications with access"
          lead="Withdraw ends an application’s access at once. It asks you again before it gets any."
        >
          <ConsentList label="Applications with access" consents={others} withdraw={withdraw} />
        </Panel>
      )}
      {agents.length > 0 && (
        <Panel
          id="agents"
          heading="Agents"
          lead="Applications that nobody registered here: they say themselves who they are. Withdraw ends an agent’s access at once."
        >
          <ConsentList label="Agents" consents={agents} withdraw={withdraw} />
        </Panel>
      )}
    </>
  );
}

function ConsentList({ label, consents, withdraw }: ConsentsProps & { label: string }) {
  return (
    <ul className="list" aria-label={label}>
      {consents.map((consent) => (
        <li className="row" key={consent.id}>
          <div className="with-tile row-text">
            <Tile of="client" id={consent.clientId} name={consent.clientName} logoUri={consent.logoUri} />
            <div className="row-text">
              <p className="row-title">
                <span>
                  <Name>{consent.clientName}</Name> may use <Name>{consent.apiName}</Name>
                </span>
              </p>
              <p className="soft">
                {consent.scopes.map(({ name, description }) => plainText(description) || name).join(' · ')}
              </p>
              {consent.clientOrigin !== null && <p className="soft">{whence(consent)}</p>}
              <p className="soft">
                Allowed <When at={consent.grantedAt} />
                {consent.lastUsedAt && (
                  <>
                    , last used <When at={consent.lastUsedAt} />
                  </>
                )}
              </p>
            </div>
          </div>
          <Form {...withdraw} className="row-side" fields={{ id: consent.id }}>
            <Submit
              tone="plain"
              of={`access of ${plainText(consent.clientName)} to ${plainText(consent.apiName)}`}
            >
              Withdraw
            </Submit>
          </Form>
        </li>
      ))}
    </ul>
  );
}
