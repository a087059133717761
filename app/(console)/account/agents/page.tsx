// A person lets an agent act in their name: first which one and where, then what, and until when.
import type { Metadata } from 'next';
import { Name } from '#app/_components/name.tsx';
import type { SearchParams } from '#app/_components/page-input.ts';
import { type Agent, listMyAgents } from '#lib/management/index.ts';
import { List, Row, Search } from '../../_ui/list.tsx';
import { Callout, Empty, Title } from '../../_ui/pieces.tsx';
import { withQuery } from '../../_ui/with-query.ts';
import { visit } from '../../_visit/visit.tsx';
import { LetActForm } from './let-act-form.tsx';

export const metadata: Metadata = { title: 'Let an agent act for you' };

const path = '/account/agents';

export default function AgentsPage({ searchParams }: { searchParams: SearchParams }) {
  return visit(
    { area: 'account', here: '/account', path, searchParams },
    async ({ actor, query, form, typed }) => {
      const { client = '', api = '', search = '' } = query;
      const chosen = client !== '' && api !== '';
      const agents = await listMyAgents(
        actor,
        chosen ? { clientId: client, api } : { clientId: search.trim() },
      );
      const [agent] = agents;
      if (chosen && agent) {
        return (
          <>
            <Title
              back={{ href: path, label: 'Another agent' }}
              lead="It gets a token for this in your name whenever it has one of yours to show, and each says that the agent acts."
            >
              <Name>{agent.clientName}</Name> at <Name>{agent.apiName}</Name>
            </Title>
            <LetActForm
              agent={agent}
              start={await form('delegation-give')}
              typed={typed('delegation-give')}
            />
          </>
        );
      }
      return (
        <>
          <Title
            back={{ href: '/account', label: 'Your account' }}
            lead="Choose an application that keeps a secret of its own. Here are those that you use; any other by its client id."
          >
            Let an agent act for you
          </Title>
          <Search action={path} search={search} placeholder="Client id" />
          {chosen && (
            <Callout tone="refused">
              <p>This agent may not act for anybody there, or not any more.</p>
            </Callout>
          )}
          <Agents agents={chosen ? [] : agents} search={search} />
        </>
      );
    },
  );
}

function Agents({ agents, search }: { agents: Agent[]; search: string }) {
  if (agents.length === 0) {
    const heading = search ? 'No such agent' : 'You use no agent yet';
    return (
      <Empty heading={heading}>
        <p>
          An agent needs a secret or a key, and somebody must have approved it for the API. Its developer
          knows its client id.
        </p>
      </Empty>
    );
  }
  return (
    <List label="Agents">
      {agents.map(({ clientId, clientName, api, apiName }) => (
        <Row
          key={`${clientId} ${api}`}
          href={withQuery(path, { client: clientId, api })}
          title={
            <>
              <Name>{clientName}</Name> at <Name>{apiName}</Name>
            </>
          }
        >
          <code>{clientId}</code>
        </Row>
      ))}
    </List>
  );
}
