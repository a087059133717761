// Components that display a client or a linked method.
import { Tile } from '#app/_components/hosted-parts.tsx';
import { Name, Sentence } from '#app/_components/pieces.tsx';
import type { Words } from '#lib/language/words.ts';
import type { Agent } from '#lib/management/delegations.ts';
import type { MyLinks } from '#lib/management/links.ts';
import { documentHost } from '#lib/registry/unregistered.ts';
import { When } from '../_kit/pieces.tsx';

type WhenceProps = { of: Pick<Agent, 'clientId' | 'clientOrigin'>; words: Words };

/** Shows the host of an unregistered client's document. */
export function Whence({ of: { clientId, clientOrigin: origin }, words: { t } }: WhenceProps) {
  if (origin === null) return null;
  const host = documentHost({ clientId, origin });
  return <p className="soft">{host === null ? t('my.agent_itself') : t('my.agent_from', { host })}</p>;
}

type AgentProps = { agent: Agent; words: Words };

export function AgentAt({ agent, words }: AgentProps) {
  const named = {
    agent: <Name words={words}>{agent.clientName}</Name>,
    api: <Name words={words}>{agent.apiName}</Name>,
  };
  return <Sentence parts={words.parts('my.agent_at', named)} />;
}

/** Shows the agent next to the delegation form, in the same way as the list of delegations. */
export function AgentShown({ agent, words }: AgentProps) {
  return (
    <div className="with-tile row-text">
      <Tile of="client" id={agent.clientId} name={agent.clientName} logoUri={agent.logoUri} />
      <div className="row-text">
        <p className="row-title">
          <Name words={words}>{agent.clientName}</Name>
        </p>
        <Whence of={agent} words={words} />
        <p className="soft">
          <code>{agent.clientId}</code>
        </p>
      </div>
    </div>
  );
}

type JoinWhoProps = { label: string; me: string; words: Words };

/** Shows the names of both accounts before the user links them. */
export function JoinWho({ label, me, words }: JoinWhoProps) {
  const named = { name: <Name>{label}</Name>, me: <bdi>{me}</bdi> };
  return (
    <p>
      <Sentence parts={words.parts('links.join_who', named)} />
    </p>
  );
}

type LinkFactsProps = { of: MyLinks['identities'][number]; words: Words };

export function LinkFacts({ of: { email, lastSeenAt, current }, words }: LinkFactsProps) {
  const { t, parts } = words;
  return (
    <p>
      {email !== null && (
        <>
          <Sentence parts={parts('links.as', { name: <bdi>{email}</bdi> })} />{' '}
        </>
      )}
      <Sentence parts={parts('links.used', { at: <When at={lastSeenAt} words={words} /> })} />
      {current && ` ${t('links.current')}`}
    </p>
  );
}
