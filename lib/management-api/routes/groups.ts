// /groups: for administrators.
import { z } from 'zod';
import {
  changeGroup,
  createGroup,
  deleteGroup,
  pageGroups,
  readGroup,
} from '#lib/management/groups/groups.ts';
import {
  addGroupMember,
  listPersonGroups,
  pageGroupMembers,
  removeGroupMember,
  setPersonGroups,
} from '#lib/management/groups/members.ts';
import { changeOf } from '#lib/registry/fields/definition.ts';
import { group } from '#lib/registry/objects/group.ts';
import { one, page, type Route, routesFor, wholeList } from '../route.ts';
import { paged, paging, search } from './inputs.ts';

const groupChange = changeOf(group.omit({ id: true }));
const read = routesFor('groups.read');
const manage = routesFor('groups.manage');

export const groupRoutes: Route[] = [
  read('GET /groups', 'Groups of people', pageGroups, {
    query: z.strictObject({ ...paged('groups'), ...search }),
    answers: page('Group'),
  }),
  manage('POST /groups', 'Create a group', createGroup, {
    body: group,
    answers: one('Group'),
    creates: '/groups/:id',
  }),
  read('GET /groups/:id', 'One group', readGroup, { answers: one('Group') }),
  manage('PATCH /groups/:id', 'Change the name or the rules of a group', changeGroup, {
    body: groupChange,
    version: 'required',
    answers: one('Group'),
  }),
  manage('DELETE /groups/:id', 'Delete a group that no API names', deleteGroup, { version: 'optional' }),
  read('GET /groups/:id/members', 'Who is in a group, and by what', pageGroupMembers, {
    query: z.strictObject({ ...paging, ...search }),
    answers: page('GroupMember'),
  }),
  manage('PUT /groups/:id/members/:person', 'Put a person into a group by hand', addGroupMember),
  manage('DELETE /groups/:id/members/:person', 'Take a person out who is in it by hand', removeGroupMember),
  read('GET /people/:id/groups', 'In which groups a person is, and by what', listPersonGroups, {
    answers: wholeList('PersonGroup'),
  }),
  manage('PUT /people/:id/groups', 'The groups that a person is in by hand', setPersonGroups, {
    body: z.strictObject({ groups: z.array(z.string().max(100)).max(1000) }),
  }),
];
