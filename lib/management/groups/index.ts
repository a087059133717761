export {
  changeGroup,
  createGroup,
  deleteGroup,
  type GroupChange,
  listGroupNames,
  listGroupUses,
  pageGroups,
  previewGroupChange,
  previewGroupDeletion,
  readGroup,
  unknownGroupFaults,
} from './groups.ts';
export {
  addGroupMember,
  listPersonGroups,
  pageGroupMembers,
  removeGroupMember,
  setPersonGroups,
} from './members.ts';
