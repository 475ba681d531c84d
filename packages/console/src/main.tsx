import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { withScope } from './api/address.ts';
import { queries } from './api/hooks.ts';
import { AppShell } from './shell/app-shell.tsx';

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Router hrefs={withScope} aroundNav={(navigate, to, options) => navigate(withScope(to), options)}>
        <AppShell />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
