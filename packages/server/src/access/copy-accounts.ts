import type { AccountStore } from './account-store.ts';

/**
 * Takes API keys and members along when a store moves: a caller with a key still gets in, and what was revoked or removed
 * stays so. What is there already is not written again.
 * @returns how many keys were not there
 */
export async function copyAccounts(from: AccountStore, to: AccountStore): Promise<number> {
  let copied = 0;
  for (const key of await from.listKeys()) {
    const there = await to.findKey(key.id);
    if (there === undefined) {
      await to.addKey(key);
      copied++;
    } else if (key.revoked_at !== null && there.revoked_at === null)
      await to.revokeKey(key.id, key.revoked_at);
  }
  const members = await from.listMembers();
  // The last admin stays one, so admins come first.
  for (const { user_id, role, created_at } of members.toSorted((a, b) => (a.role < b.role ? -1 : 1)))
    if ((await to.findMember(user_id)) !== role) await to.setMember(user_id, role, created_at);
  const now = new Date().toISOString();
  for (const user of await from.listRemoved()) {
    if ((await to.findMember(user)) === 'removed') continue;
    await to.setMember(user, 'member', now);
    await to.removeMember(user, now);
  }
  return copied;
}
