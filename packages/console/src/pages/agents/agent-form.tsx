import type { OutputOf } from 'longhand/client';
import { type FormEvent, type ReactNode, useId } from 'react';
import { useDraft } from '../../api/drafts.ts';
import { useAct, useAnswer, useIsAdmin } from '../../api/hooks.ts';
import { AgentMark } from '../../parts/agent-mark.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { count } from '../../parts/numbers.ts';
import { toast } from '../../parts/toast.tsx';

type Agent = OutputOf<'getAgent'>;
type Options = OutputOf<'agentOptions'>;
type Changes = Partial<
  Pick<
    Agent,
    | 'system_prompt'
    | 'model_id'
    | 'model_label'
    | 'enabled_tools'
    | 'active'
    | 'share_memory'
    | 'colour'
    | 'icon'
  >
>;

interface PartProps {
  readonly agent: Agent;
  readonly options: Options | undefined;
  readonly change: (changes: Changes) => void;
}

/** What the agent is. What is changed and not saved is kept as a draft. */
export function AgentForm({ agent }: { readonly agent: Agent }): ReactNode {
  const [draft, setDraft] = useDraft<Changes>(`agent ${agent.name}`);
  const { data: options } = useAnswer('agentOptions', { agent_id: agent.name });
  const update = useAct('updateAgent');
  const isAdmin = useIsAdmin();
  const shown = { ...agent, ...draft };
  const change = (changes: Changes): void => setDraft({ ...draft, ...changes });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (draft === undefined) return;
    update.mutate(
      { agent_id: agent.name, ...draft },
      {
        onSuccess: () => {
          setDraft(undefined);
          toast('Saved');
        },
      },
    );
  };
  const parts = { agent: shown, options, change };
  return (
    <form className="stack agent-form" onSubmit={submit}>
      {!isAdmin && (
        <p className="hint">
          Only administrators change an agent. You can look, and keep memories of your own.
        </p>
      )}
      <fieldset disabled={!isAdmin} className="stack agent-form">
        <Identity {...parts} />
        <SystemPrompt {...parts} />
        <Model {...parts} />
        <Tools {...parts} />
      </fieldset>
      {update.error !== null && (
        <ErrorBox
          error={update.error}
          what="The agent was not saved"
          kept="What you have changed is still here."
        />
      )}
      {isAdmin && (
        <div className={draft === undefined ? 'save-bar' : 'save-bar is-needed'}>
          <span className="hint" role="status">
            {draft === undefined ? 'Everything is saved.' : 'Not saved yet.'}
          </span>
          {draft !== undefined && <Button onClick={() => setDraft(undefined)}>Discard</Button>}
          <Button type="submit" look="main" disabled={draft === undefined || update.isPending}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}

function Identity({ agent, options, change }: PartProps): ReactNode {
  const { icon, colour, active, share_memory } = agent;
  return (
    <section className="card stack">
      <h2>Identity</h2>
      <Swatches
        label="Colour"
        options={options?.colour_options}
        chosen={colour}
        onChoose={(one) => change({ colour: one })}
        draw={(one) => <i data-colour={one} />}
      />
      <Swatches
        label="Icon"
        options={options?.icon_options}
        chosen={icon}
        onChoose={(one) => change({ icon: one })}
        draw={(one) => <AgentMark icon={one} colour={colour} size={32} />}
      />
      <label className="check">
        <input type="checkbox" checked={active} onChange={() => change({ active: !active })} />
        Takes part in conversations
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={share_memory}
          onChange={() => change({ share_memory: !share_memory })}
        />
        Shows what it saves from now on to every user
      </label>
    </section>
  );
}

interface SwatchesProps {
  readonly label: string;
  readonly options: readonly string[] | undefined;
  readonly chosen: string | null;
  readonly onChoose: (name: string) => void;
  readonly draw: (name: string) => ReactNode;
}

function Swatches({ label, options, chosen, onChoose, draw }: SwatchesProps): ReactNode {
  return (
    <>
      <span className="label" aria-hidden>
        {label}
      </span>
      <div className="swatches" role="radiogroup" aria-label={label}>
        {options?.map((one) => (
          <label key={one} className="swatch" title={one}>
            <input type="radio" name={label} checked={chosen === one} onChange={() => onChoose(one)} />
            {draw(one)}
            <span className="visually-hidden">{one}</span>
          </label>
        ))}
      </div>
    </>
  );
}

/** Some four letters make a token: good enough to see what a prompt costs. */
const LETTERS_PER_TOKEN = 4;
const PLACE_OF_NOTES = '{long_term_memory_notes}';

function SystemPrompt({ agent, change }: PartProps): ReactNode {
  const id = useId();
  const text = agent.system_prompt ?? '';
  const about = Math.ceil(text.length / LETTERS_PER_TOKEN);
  return (
    <section className="card stack">
      <div className="spread">
        <h2>
          <label htmlFor={id} className="as-heading">
            System prompt
          </label>
        </h2>
        <span className="hint">about {count(about)} tokens</span>
      </div>
      <textarea
        id={id}
        className="field is-text"
        dir="auto"
        rows={8}
        value={text}
        placeholder={`You are ${agent.name}.`}
        onChange={({ target }) => change({ system_prompt: target.value === '' ? null : target.value })}
      />
      <p className="hint">
        {text.includes(PLACE_OF_NOTES)
          ? 'The notes stand where the prompt has '
          : 'The notes follow in a section of their own, unless the prompt has '}
        <code>{PLACE_OF_NOTES}</code>.
      </p>
    </section>
  );
}

function Model({ agent, options, change }: PartProps): ReactNode {
  const id = useId();
  const groups = Object.entries(options?.grouped_models ?? {});
  const isKnown = groups.some(([, models]) => models.some(({ model_id }) => model_id === agent.model_id));
  return (
    <section className="card stack">
      <h2>
        <label htmlFor={id} className="as-heading">
          Model
        </label>
      </h2>
      <select
        id={id}
        className="field"
        value={agent.model_id ?? ''}
        onChange={({ target }) => change({ model_id: target.value || null, model_label: null })}
      >
        <option value="">The model of the server's settings</option>
        {agent.model_id !== null && !isKnown && <option value={agent.model_id}>{agent.model_id}</option>}
        {groups.map(([provider, models]) => (
          <optgroup key={provider} label={provider}>
            {models.map(({ model_id, label }) => (
              <option key={model_id} value={model_id}>
                {label}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </section>
  );
}

function Tools({ agent, options, change }: PartProps): ReactNode {
  const mcp = options?.available_tools.flatMap(({ name, source }) => (source === 'mcp' ? [name] : [])) ?? [];
  // `*` stands for all tools of MCP servers, until one of them is switched off.
  const named = agent.enabled_tools.flatMap((name) => (name === '*' ? mcp : [name]));
  const toggle = (name: string): void => {
    const given = mcp.includes(name) ? [...new Set(named)] : agent.enabled_tools;
    change({
      enabled_tools: given.includes(name) ? given.filter((other) => other !== name) : [...given, name],
    });
  };
  return (
    <section className="card stack">
      <h2>Tools and capabilities</h2>
      <ul className="tools">
        {options?.available_tools.map(({ name, title, description, source }) => (
          <li key={name}>
            <label className="tool">
              <input type="checkbox" checked={named.includes(name)} onChange={() => toggle(name)} />
              <span>
                <b dir="auto">{title}</b>
                {source === 'mcp' && <span className="tag">MCP</span>}
                <span className="hint tool-about" dir="auto">
                  {firstSentence(description)}
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The model is told more than a person needs here. */
function firstSentence(text: string): string {
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
