// Forms of a group, and of its manual members.

import { group } from '#lib/catalogue/groups/definition.ts';
import {
  addGroupMember,
  changeGroup,
  createGroup,
  previewGroupChange,
  removeGroupMember,
} from '#lib/catalogue/groups/operations.ts';
import { formFields } from '#lib/registry/definition.ts';
import { backWith, confirmedForm, type Forms, path, redirectAfter } from '../_kit/console-form.ts';
import { RULES_LABEL, rulesOfForm } from '../_kit/group-rules.ts';
import { type Labels, labelsOf } from '../_kit/in-words.ts';
import { type Fields, readForm } from '../_kit/posted.ts';
import { formsOf } from '../_kit/questions.ts';
import { withQuery } from '../_kit/with-query.ts';

export const groupPath = (id: string, ...below: string[]) => path('admin', 'groups', id, ...below);

const labels: Labels = { ...labelsOf(formFields(group)), from: { label: RULES_LABEL, each: 'rule' } };

const page =
  (...below: string[]) =>
  (fields: Fields) =>
    groupPath(fields.one('id'), ...below);
/** The address of the list with the same page and search. */
const listPage = (fields: Fields) =>
  withQuery(groupPath(fields.one('id')), { search: fields.one('search'), cursor: fields.one('cursor') });
const personPage = (fields: Fields) => path('admin', 'people', fields.one('person'), 'access');

/**
 * Identifies a group and a member. On both pages the field `id` contains the group, and `person` contains an id or
 * address.
 */
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
      return redirectAfter(groupPath(id), 'group-created');
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
