import { CorruptionError, LonghandError, NotFoundError, ValidationError } from '../core/errors.ts';
import { parseName } from '../core/ids.ts';
import type { CheckedQuery, Explanation, FoundMemory } from '../core/query.ts';
import type { MemoryEntry } from '../core/records.ts';
import { resolveDecayPolicy } from '../recall/decay.ts';
import {
  QueryError,
  type RecallIndex,
  RecallIndex as RecallIndexClass,
  type SearchHit,
  type SearchRequest,
  search,
  searchSessions,
} from '../recall/index.ts';
import { parseWithin } from '../recall/time-expression.ts';
import type { Accesses } from './accesses.ts';
import { LeastRecentlyUsed } from './least-recently-used.ts';
import type { Memories } from './memories.ts';
import type { Session } from './session.ts';
import { foldSession } from './session-fold.ts';
import { addressOf, type Sessions } from './sessions.ts';
import { UserIndex } from './user-index.ts';
import type { Workshop } from './workshop.ts';
