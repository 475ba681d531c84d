import { lexer, type Token, type Tokens } from 'marked';
import { Fragment, type ReactNode } from 'react';

/**
 * Markdown as elements. Nothing in it becomes HTML: tags are shown as they are written, pictures as links, and only links to
 * web pages and mail addresses can be followed.
 */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="markdown" dir="auto">
      {blocks(lexer(text))}
    </div>
  );
}

function blocks(tokens: readonly Token[]): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no names, and all are made again from the text
  return tokens.map((token, at) => <Fragment key={at}>{block(token)}</Fragment>);
}

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      // The page has a heading of its own above.
      const Heading = `h${Math.min(6, depth + 1)}` as 'h2';
      return <Heading dir="auto">{inline(tokens)}</Heading>;
    }
    case 'paragraph':
      return <p dir="auto">{inline((token as Tokens.Paragraph).tokens)}</p>;
    case 'blockquote':
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens)}</blockquote>;
    case 'code':
      return (
        <pre>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case 'hr':
      return <hr />;
    case 'list':
      return list(token as Tokens.List);
    case 'table':
      return table(token as Tokens.Table);
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? text : inline(tokens);
    }
    default:
      return <p dir="auto">{token.raw}</p>;
  }
}

function list({ ordered, start, items }: Tokens.List): ReactNode {
  const children = items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no names
    <li key={at} dir="auto" className={item.task ? 'is-task' : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label="done" />}
      <div>{blocks(item.tokens.filter(({ type }) => type !== 'checkbox'))}</div>
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{children}</ol> : <ul>{children}</ul>;
}

function table({ header, rows, align }: Tokens.Table): ReactNode {
  return (
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: cells have no names
            <th key={at} scope="col" style={{ textAlign: align[at] ?? 'start' }}>
              {inline(tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names
          <tr key={line}>
            {row.map(({ tokens }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells have no names
              <td key={at} style={{ textAlign: align[at] ?? 'start' }}>
                {inline(tokens)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function inline(tokens: readonly Token[] = []): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: spans have no names, and all are made again from the text
  return tokens.map((token, at) => <Fragment key={at}>{span(token)}</Fragment>);
}

function span(token: Token): ReactNode {
  const { tokens } = token as Tokens.Strong;
  switch (token.type) {
    case 'strong':
      return <strong>{inline(tokens)}</strong>;
    case 'em':
      return <em>{inline(tokens)}</em>;
    case 'del':
      return <del>{inline(tokens)}</del>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Away href={(token as Tokens.Link).href}>{inline(tokens)}</Away>;
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return <Away href={href}>{`Picture: ${text || href}`}</Away>;
    }
    case 'text':
    case 'escape':
      return tokens === undefined ? (token as Tokens.Text).text : inline(tokens);
    default:
      return token.raw;
  }
}

function Away({ href, children }: { readonly href: string; readonly children: ReactNode }): ReactNode {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return <span title={href}>{children}</span>;
  return (
    <a href={href} title={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
