import type { World } from './world.ts';
import { border } from './worlds/border.ts';
import { developer } from './worlds/developer.ts';
import { friends } from './worlds/friends.ts';
import { household } from './worlds/household.ts';
import { student } from './worlds/student.ts';
import { workshop } from './worlds/workshop.ts';

/** A hundred everyday questions as people type them, and fifty without an answer, in six small stores. */
export const EVERYDAY: readonly World[] = [household, developer, friends, workshop, student, border];
