// What tells a person which client it is: its name is not enough, since others may give theirs the same one.
import { Name } from '#app/_components/name.tsx';
import { Sentence } from '#app/_components/sentence.tsx';
import { Tile } from '#app/_components/tile.tsx';
import type { Words } from '#lib/language/words.ts';
import type { Agent } from '#lib/management/subscriptions/delegations.ts';
import { documentHost } from '#lib/registry/clients/unregistered.ts';

type WhenceProps = { of: Pick<Agent, 'clientId' | 'clientOrigin'>; words: Words };

/** The host of the document of an unregistered client. */
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

/** Beside the form by which it may act: as the list of those that do shows it. */
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
