// The forms about groups, and who is in them by hand.
import { changeGroup, createGroup, previewGroupChange } from '#lib/management/groups/groups.ts';
import { addGroupMember, removeGroupMember } from '#lib/management/groups/members.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import { group } from '#lib/registry/objects/group.ts';
import { confirmedForm } from '../_forms/confirm.ts';
import type { Fields } from '../_forms/fields.ts';
import { backWith, done, type Forms, path } from '../_forms/form.ts';
import { type Labels, labelsOf } from '../_forms/labels.ts';
import { formsOf } from '../_forms/questions.ts';
import { readForm } from '../_forms/read-form.ts';
import { withQuery } from '../_ui/with-query.ts';
import { RULES_LABEL, rulesOfForm } from './group-rules.ts';

export const groupPath = (id: string, ...below: string[]) => path('admin', 'groups', id, ...below);

const labels: Labels = { ...labelsOf(formFields(group)), from: { label: RULES_LABEL, each: 'rule' } };

const page =
  (...below: string[]) =>
  (fields: Fields) =>
    groupPath(fields.one('id'), ...below);
/** The same page of the same search. */
const listPage = (fields: Fields) =>
  withQuery(groupPath(fields.one('id')), { search: fields.one('search'), cursor: fields.one('cursor') });
const personPage = (fields: Fields) => `${path('admin', 'people', fields.one('person'))}#groups`;

/** On the page of either, `id` is the group and `person` an id or an address. */
const memberOf = (fields: Fields) => ({ id: fields.one('id'), person: fields.one('person').trim() });

export function groupOfForm(fields: Fields) {
  const from = rulesOfForm(fields);
  return { ...readForm(group, fields), ...(from && { from }) };
}

export const groupForms: Forms = {
  'group-create': {
    labels,
    page: () => '/admin/groups/new',
    run: async (actor, fields) => {
      const { id } = await createGroup(actor, groupOfForm(fields));
      return done(groupPath(id), 'group-created');
    },
  },
  'group-change': confirmedForm({
    page: page('edit'),
    labels,
    read: (fields) => ({ ...groupOfForm(fields), id: fields.one('id') }),
    preview: previewGroupChange,
    run: changeGroup,
    to: page(),
    notice: 'group-changed',
  }),
  'group-member-add': backWith(page(), 'member-added', (actor, fields) =>
    addGroupMember(actor, memberOf(fields)),
  ),
  'group-member-remove': backWith(listPage, 'member-removed', (actor, fields) =>
    removeGroupMember(actor, memberOf(fields)),
  ),
  'person-group-add': backWith(personPage, 'member-added', (actor, fields) =>
    addGroupMember(actor, memberOf(fields)),
  ),
  'person-group-remove': backWith(personPage, 'member-removed', (actor, fields) =>
    removeGroupMember(actor, memberOf(fields)),
  ),
  ...formsOf('group-delete'),
};
