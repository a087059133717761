// The form about the texts of a client: for administrators.
import { enter } from '#lib/management/core/operation.ts';
import { changeClient } from '#lib/management/registry/client-change.ts';
import { readClient } from '#lib/management/registry/clients.ts';
import { LOOK } from '../_forms/brand-part.ts';
import type { Fields } from '../_forms/fields.ts';
import { done, type Forms } from '../_forms/form.ts';
import { clientPath } from '../_objects/client-kinds.ts';
import { languageIn, TEXTS_LABELS, textsTyped } from '../_objects/texts-part.ts';
import { withQuery } from '../_ui/with-query.ts';

const idOf = (fields: Fields) => ({ clientId: fields.one('clientId') });
const page = (fields: Fields) =>
  withQuery(clientPath('admin', idOf(fields).clientId, 'texts'), { in: languageIn(fields) });

export const clientTextsForm: Forms = {
  'client-texts': {
    page,
    labels: TEXTS_LABELS,
    run: async (actor, fields) => {
      await enter(actor, { action: 'clients.manage-all' });
      if (fields.has('preview')) return LOOK;
      const { texts } = await readClient(actor, idOf(fields));
      const version = fields.number('version');
      await changeClient(actor, { ...idOf(fields), version, texts: textsTyped(fields, texts) });
      return done(page(fields), 'texts-saved');
    },
  },
};
