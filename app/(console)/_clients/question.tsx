// The questions about a client: what ends with it, for its developer and for administrators alike.
import { readPath } from '#app/_components/page-input.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import { clientQuestion } from '../_forms/client-questions.ts';
import type { Area } from '../_forms/form.ts';
import { AskedInVain, ask } from '../_objects/ask.tsx';
import { clientPath } from '../_objects/client-kinds.ts';
import { say } from '../_texts/say.tsx';
import { type ClientPageProps, visitClient } from './visit-client.tsx';

export type ClientQuestionProps = ClientPageProps & {
  params: Promise<{ clientId: string; question: string }>;
};

export async function clientQuestionPage(area: Area, props: ClientQuestionProps) {
  const { question: below } = await readPath(props.params);
  return visitClient({ area, props, below }, async ({ client, query, ...visit }) => {
    const name = clientQuestion(below);
    const { clientId, version, disabled } = client;
    const leave = clientPath(area, clientId);
    if (name === 'client-disable' && disabled)
      return <AskedInVain why={say('This application is disabled already.')} leave={leave} />;
    const fields = {
      clientId,
      ...(name === 'client-delete' && { version }),
      ...(name === 'secret-drop' && { secretId: query['secret'] ?? '' }),
    };
    return ask(visit, name, { fields, of: plainText(client.name), leave });
  });
}
