import type { Words } from '#lib/language/words.ts';
import type { DisplayText } from '#lib/registry/fields/display-text.ts';
import { Name } from './name.tsx';
import { Sentence } from './sentence.tsx';
import { Tile } from './tile.tsx';

type Props = {
  client: { clientId: string; name: DisplayText; logoUri: string | null; host: string | null };
  api: { name: DisplayText };
  words: Words;
};

/** Who a sign-in is for, above what the page asks. */
export function Asker({ client, api, words }: Props) {
  const names = {
    client: (
      <strong>
        <Name words={words}>{client.name}</Name>
      </strong>
    ),
    api: <Name words={words}>{api.name}</Name>,
  };
  return (
    <div className="asker">
      <Tile of="client" id={client.clientId} name={client.name} logoUri={client.logoUri} />
      <p>
        <span>{words.t('sign_in.continue_to')}</span>
        <span className="asker-names">
          <Sentence parts={words.parts('sign_in.asker', names)} />
        </span>
        {client.host !== null && <bdi className="soft">{client.host}</bdi>}
      </p>
    </div>
  );
}
