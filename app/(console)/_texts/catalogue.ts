// The English sentences of the pages of developers and administrators in nine other languages.
import type { Language } from '#lib/settings/languages.ts';
import ar from './ar.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import ptBR from './pt-BR.json' with { type: 'json' };
import tr from './tr.json' with { type: 'json' };

type Sentences = Readonly<Record<string, string>>;

export const SENTENCES: Readonly<Record<Exclude<Language, 'en'>, Sentences>> = {
  de,
  fr,
  es,
  it,
  'pt-BR': ptBR,
  pl,
  tr,
  ja,
  ar,
};
