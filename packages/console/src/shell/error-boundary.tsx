import { Component, type ReactNode } from 'react';
import { ErrorBox } from '../parts/error-box.tsx';

interface Props {
  readonly children: ReactNode;
  readonly onRetry: () => void;
}

/** What goes wrong on a page stays on that page. */
export class ErrorBoundary extends Component<Props, { readonly error: Error | undefined }> {
  override state = { error: undefined as Error | undefined };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    // A file of the console that is gone: the server has been updated since the page was loaded.
    const isOutdated = /dynamically imported module|preload CSS/i.test(error.message);
    const reload = (): void => location.reload();
    const again = (): void => {
      this.props.onRetry();
      this.setState({ error: undefined });
    };
    return (
      <ErrorBox
        error={error}
        what={isOutdated ? 'This page is of an older version of the console' : 'This page could not be shown'}
        onRetry={isOutdated ? reload : again}
        retryLabel={isOutdated ? 'Reload' : 'Try again'}
      />
    );
  }
}
