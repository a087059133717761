// The forms of /account/address.
import { done, type Forms } from '#app/(console)/_forms/form.ts';
import { withQuery } from '#app/(console)/_ui/with-query.ts';
import { finishAddressChange, startAddressChange } from '#lib/management/account/address-change.ts';

const ADDRESS = '/account/address';

export const addressForms: Forms = {
  'address-start': {
    page: () => ADDRESS,
    run: async (actor, fields) => {
      const { handle } = await startAddressChange(actor, { email: fields.one('email') });
      return done(withQuery(ADDRESS, { change: handle }));
    },
  },
  'address-finish': {
    page: (fields) => withQuery(ADDRESS, { change: fields.one('handle') }),
    run: async (actor, fields) => {
      const [codeHere, codeThere] = [fields.one('codeHere'), fields.one('codeThere')];
      await finishAddressChange(actor, { handle: fields.one('handle'), codeHere, codeThere });
      return done('/account', 'address-changed');
    },
  },
};
