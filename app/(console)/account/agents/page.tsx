// Page on which a user lets an agent act: first the agent and the API, then the scopes and the end date.
import type { Words } from '#lib/language/words.ts';
import { type Agent, listMyAgents } from '#lib/management/delegations.ts';
import { List, Row, Search } from '../../_kit/list.tsx';
import { messageTitle } from '../../_kit/page-language.ts';
import { Callout, Empty, Title } from '../../_kit/pieces.tsx';
import { consolePage } from '../../_kit/visit.tsx';
import { withQuery } from '../../_kit/with-query.ts';
import { AgentAt, AgentShown } from '../shown.tsx';
import { LetActForm } from './let-act-form.tsx';

export const generateMetadata = messageTitle('my.agent_let');

const path = '/account/agents';

export default consolePage(path, async ({ actor, query, form, typed, words }) => {
  const { t } = words;
  const { client = '', api = '', search = '' } = query;
  const chosen = client !== '' && api !== '';
  const agents = await listMyAgents(actor, chosen ? { clientId: client, api } : { clientId: search.trim() });
  const [agent] = agents;
  if (chosen && agent) {
    return (
      <>
        <Title back={{ href: path, label: t('my.agent_another') }} lead={t('my.agent_lead')}>
          <AgentAt agent={agent} words={words} />
        </Title>
        <AgentShown agent={agent} words={words} />
        <LetActForm
          agent={agent}
          words={words}
          start={await form('delegation-give')}
          typed={typed('delegation-give')}
        />
      </>
    );
  }
  return (
    <>
      <Title back={{ href: '/account', label: t('my.heading') }} lead={t('my.agent_choose')}>
        {t('my.agent_let')}
      </Title>
      <Search action={path} search={search} placeholder={t('my.client_id')} />
      {chosen && (
        <Callout tone="refused">
          <p>{t('delegation.no_agent')}</p>
        </Callout>
      )}
      <Agents agents={chosen ? [] : agents} search={search} words={words} />
    </>
  );
});

type AgentsProps = { agents: Agent[]; search: string; words: Words };

function Agents({ agents, search, words }: AgentsProps) {
  const { t } = words;
  if (agents.length === 0) {
    const heading = t(search ? 'my.agent_none' : 'my.agent_unused');
    return (
      <Empty heading={heading}>
        <p>{t('my.agent_takes')}</p>
      </Empty>
    );
  }
  return (
    <List label={t('my.agents')}>
      {agents.map((agent) => (
        <Row
          key={`${agent.clientId} ${agent.api}`}
          href={withQuery(path, { client: agent.clientId, api: agent.api })}
          title={<AgentAt agent={agent} words={words} />}
        >
          <code>{agent.clientId}</code>
        </Row>
      ))}
    </List>
  );
}
